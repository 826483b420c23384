//! Asynchronous I/O: aio, I/O priorities.

use crate::sets;

sets! {
    /// io_submit(2): linux/aio_abi.h
    pub decimal IOCB_CMDS "IOCB_CMD_???" {
        IOCB_CMD_PREAD, IOCB_CMD_PWRITE, IOCB_CMD_FSYNC, IOCB_CMD_FDSYNC, IOCB_CMD_PREADX = 4, IOCB_CMD_POLL,
        IOCB_CMD_NOOP, IOCB_CMD_PREADV, IOCB_CMD_PWRITEV
    }
    /// io_submit(2): linux/aio_abi.h
    pub IOCB_FLAGS "IOCB_FLAG_???" { IOCB_FLAG_RESFD, IOCB_FLAG_IOPRIO }
    /// ioprio_get(2): linux/ioprio.h
    pub IOPRIO_WHO "IOPRIO_WHO_???" { IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP, IOPRIO_WHO_USER }
    /// ioprio_set(2): linux/ioprio.h
    pub IOPRIO_CLASS "IOPRIO_CLASS_???" { IOPRIO_CLASS_NONE, IOPRIO_CLASS_RT, IOPRIO_CLASS_BE, IOPRIO_CLASS_IDLE }
}
