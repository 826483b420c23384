//! System V IPC and POSIX message queues.

use crate::sets::ipc::*;
use crate::{PidKind, Ty, structs};

const PID: Ty = Ty::Pid(PidKind::Tgid);

structs! {
    /// The members that all kinds of objects have: linux/ipc.h
    pub IPC_PERM = ipc64_perm {
        uid: Ty::Uid, gid: Ty::Gid, mode: Ty::Perm, key: Ty::UInt, cuid: Ty::Uid, cgid: Ty::Gid
    }
    /// The members of it that `IPC_SET` changes
    pub IPC_PERM_SET = ipc64_perm { uid: Ty::Uid, gid: Ty::Gid, mode: Ty::Perm }

    /// msgctl(2): asm-generic/msgbuf.h
    pub MSQID = msqid64_ds {
        msg_perm: Ty::Struct(&IPC_PERM), msg_stime: Ty::UInt, msg_rtime: Ty::UInt, msg_ctime: Ty::UInt,
        msg_qnum: Ty::UInt, msg_qbytes: Ty::UInt, msg_lspid: PID, msg_lrpid: PID
    }
    pub MSQID_SET = msqid64_ds { msg_perm: Ty::Struct(&IPC_PERM_SET), msg_qbytes: Ty::UInt }
    pub MSGINFO = msginfo {
        msgpool: Ty::Int, msgmap: Ty::Int, msgmax: Ty::Int, msgmnb: Ty::Int, msgmni: Ty::Int, msgssz: Ty::Int,
        msgtql: Ty::Int, msgseg: Ty::UInt
    }

    /// semctl(2): asm/sembuf.h
    pub SEMID = semid64_ds {
        sem_perm: Ty::Struct(&IPC_PERM), sem_otime: Ty::UInt, sem_ctime: Ty::UInt, sem_nsems: Ty::UInt
    }
    pub SEMID_SET = semid64_ds { sem_perm: Ty::Struct(&IPC_PERM_SET) }
    pub SEMINFO = seminfo {
        semmap: Ty::Int, semmni: Ty::Int, semmns: Ty::Int, semmnu: Ty::Int, semmsl: Ty::Int, semopm: Ty::Int,
        semume: Ty::Int, semusz: Ty::Int, semvmx: Ty::Int, semaem: Ty::Int
    }
    /// semop(2): linux/sem.h
    pub SEMBUF = sembuf { sem_num: Ty::UInt, sem_op: Ty::Int, sem_flg: Ty::Flags(&SEM_FLAGS) }

    /// shmctl(2): asm-generic/shmbuf.h
    pub SHMID = shmid64_ds {
        shm_perm: Ty::Struct(&IPC_PERM), shm_segsz: Ty::UInt, shm_cpid: PID, shm_lpid: PID, shm_nattch: Ty::UInt,
        shm_atime: Ty::UInt, shm_dtime: Ty::UInt, shm_ctime: Ty::UInt
    }
    pub SHMID_SET = shmid64_ds { shm_perm: Ty::Struct(&IPC_PERM_SET) }
    pub SHMINFO = shminfo64 { shmmax: Ty::UInt, shmmin: Ty::UInt, shmmni: Ty::UInt, shmseg: Ty::UInt, shmall: Ty::UInt }
    pub SHM_INFO = shm_info {
        used_ids: Ty::Int, shm_tot: Ty::UInt, shm_rss: Ty::UInt, shm_swp: Ty::UInt, swap_attempts: Ty::UInt,
        swap_successes: Ty::UInt
    }

    /// mq_open(2) ignores the flags
    pub MQ_ATTR_NEW = mq_attr { mq_flags: Ty::HexLong, mq_maxmsg: Ty::Long, mq_msgsize: Ty::Long, mq_curmsgs: Ty::Long }
    /// mq_overview(7): linux/mqueue.h
    pub MQ_ATTR = mq_attr { mq_flags: Ty::Flags(&MQ_FLAGS), mq_maxmsg: Ty::Long, mq_msgsize: Ty::Long, mq_curmsgs: Ty::Long }
}
