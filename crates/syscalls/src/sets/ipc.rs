//! System V IPC and POSIX message queues.

use crate::sets;

sets! {
    /// linux/ipc.h
    pub IPC_KEY "IPC_???" {
        IPC_PRIVATE
    }
    /// linux/ipc.h
    pub IPC_GET "IPC_???" {
        IPC_CREAT, IPC_EXCL, IPC_NOWAIT
    }
    /// linux/msg.h
    pub MSG_FLAGS "MSG_???" {
        MSG_NOERROR, MSG_EXCEPT, MSG_COPY, IPC_NOWAIT
    }
    /// msgctl(2)
    pub MSG_CTL "MSG_???" {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, MSG_STAT, MSG_INFO, MSG_STAT_ANY
    }
    /// semctl(2)
    pub SEM_CTL "SEM_???" {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, GETPID, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL,
        SEM_STAT, SEM_INFO, SEM_STAT_ANY
    }
    /// shmctl(2)
    pub SHM_CTL "SHM_???" {
        IPC_RMID, IPC_SET, IPC_STAT, IPC_INFO, SHM_LOCK, SHM_UNLOCK, SHM_STAT, SHM_INFO, SHM_STAT_ANY
    }
    /// semop(2)
    pub SEM_FLAGS "SEM_???" {
        SEM_UNDO, IPC_NOWAIT
    }
    /// shmat(2)
    pub SHM_FLAGS "SHM_???" {
        SHM_RDONLY, SHM_RND, SHM_REMAP, SHM_EXEC
    }
    /// shmget(2): linux/shm.h
    pub SHM_GET "SHM_???" {
        IPC_CREAT, IPC_EXCL, SHM_HUGETLB, SHM_NORESERVE
    }
    /// linux/ipc.h: versions of the ipc(2) call
    pub IPC_CALL "IPC_???" {
        SEMOP, SEMGET, SEMCTL, SEMTIMEDOP, MSGSND, MSGRCV, MSGGET, MSGCTL, SHMAT, SHMDT, SHMGET, SHMCTL, DIPC
    }
    /// Of a queue's flags only this one is known: linux/mqueue.h, asm-generic/fcntl.h
    pub MQ_FLAGS "O_???" { O_NONBLOCK }
}
