//! Names around the machine: modules, reboot, kexec, syslog, personality, membarrier, segments.

use crate::{Item, Set, items, sets};

/// Levels of the console: the kernel's include/linux/kern_levels.h. What is below the level is shown.
pub static LOGLEVEL: Set = Set::new(
    "LOGLEVEL_???",
    &[
        level("LOGLEVEL_EMERG", 0),
        level("LOGLEVEL_ALERT", 1),
        level("LOGLEVEL_CRIT", 2),
        level("LOGLEVEL_ERR", 3),
        level("LOGLEVEL_WARNING", 4),
        level("LOGLEVEL_NOTICE", 5),
        level("LOGLEVEL_INFO", 6),
        level("LOGLEVEL_DEBUG", 7),
        level("LOGLEVEL_DEBUG+1", 8),
    ],
    true,
);

const fn level(name: &'static str, value: u64) -> Item {
    Item { name, value, mask: !0 }
}

sets! {
    /// getrandom(2): linux/random.h
    pub GRND "GRND_???" { GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE }
    /// finit_module(2): linux/module.h
    pub MODULE_INIT "MODULE_INIT_???" {
        MODULE_INIT_IGNORE_MODVERSIONS, MODULE_INIT_IGNORE_VERMAGIC, MODULE_INIT_COMPRESSED_FILE
    }
    /// delete_module(2): asm-generic/fcntl.h
    pub MODULE_DELETE "O_???" { O_NONBLOCK, O_TRUNC }
    /// syslog(2): the kernel's include/linux/syslog.h
    pub decimal SYSLOG "SYSLOG_ACTION_???" {
        SYSLOG_ACTION_CLOSE, SYSLOG_ACTION_OPEN, SYSLOG_ACTION_READ, SYSLOG_ACTION_READ_ALL, SYSLOG_ACTION_READ_CLEAR,
        SYSLOG_ACTION_CLEAR, SYSLOG_ACTION_CONSOLE_OFF, SYSLOG_ACTION_CONSOLE_ON, SYSLOG_ACTION_CONSOLE_LEVEL,
        SYSLOG_ACTION_SIZE_UNREAD, SYSLOG_ACTION_SIZE_BUFFER
    }
    /// reboot(2): linux/reboot.h
    pub REBOOT_MAGIC1 "LINUX_REBOOT_MAGIC1???" { LINUX_REBOOT_MAGIC1 }
    /// linux/reboot.h
    pub REBOOT_MAGIC2 "LINUX_REBOOT_MAGIC2???" {
        LINUX_REBOOT_MAGIC2, LINUX_REBOOT_MAGIC2A, LINUX_REBOOT_MAGIC2B, LINUX_REBOOT_MAGIC2C
    }
    /// linux/reboot.h
    pub REBOOT "LINUX_REBOOT_CMD_???" {
        LINUX_REBOOT_CMD_CAD_OFF, LINUX_REBOOT_CMD_RESTART, LINUX_REBOOT_CMD_POWER_OFF, LINUX_REBOOT_CMD_KEXEC,
        LINUX_REBOOT_CMD_CAD_ON, LINUX_REBOOT_CMD_RESTART2, LINUX_REBOOT_CMD_HALT, LINUX_REBOOT_CMD_SW_SUSPEND
    }
    /// kexec_load(2), the upper half of its flags: linux/kexec.h
    pub KEXEC_ARCH "KEXEC_ARCH_???" {
        KEXEC_ARCH_DEFAULT, KEXEC_ARCH_386, KEXEC_ARCH_68K, KEXEC_ARCH_PARISC, KEXEC_ARCH_X86_64, KEXEC_ARCH_PPC,
        KEXEC_ARCH_PPC64, KEXEC_ARCH_IA_64, KEXEC_ARCH_ARM, KEXEC_ARCH_S390, KEXEC_ARCH_SH, KEXEC_ARCH_MIPS_LE,
        KEXEC_ARCH_MIPS, KEXEC_ARCH_AARCH64, KEXEC_ARCH_RISCV, KEXEC_ARCH_LOONGARCH
    }
    /// kexec_load(2), the lower half: linux/kexec.h
    pub KEXEC "KEXEC_???" {
        KEXEC_ON_CRASH, KEXEC_PRESERVE_CONTEXT, KEXEC_UPDATE_ELFCOREHDR, KEXEC_CRASH_HOTPLUG_SUPPORT
    }
    /// kexec_file_load(2): linux/kexec.h
    pub KEXEC_FILE "KEXEC_FILE_???" {
        KEXEC_FILE_UNLOAD, KEXEC_FILE_ON_CRASH, KEXEC_FILE_NO_INITRAMFS, KEXEC_FILE_DEBUG, KEXEC_FILE_NO_CMA = 0x10,
        KEXEC_FILE_FORCE_DTB = 0x20
    }
    /// membarrier(2): linux/membarrier.h
    pub MEMBARRIER "MEMBARRIER_CMD_???" {
        MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_GLOBAL, MEMBARRIER_CMD_GLOBAL_EXPEDITED,
        MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, MEMBARRIER_CMD_GET_REGISTRATIONS
    }
    /// linux/membarrier.h
    pub MEMBARRIER_FLAGS "MEMBARRIER_CMD_FLAG_???" { MEMBARRIER_CMD_FLAG_CPU }
    /// The flags of personality(2): linux/personality.h
    pub PERSONA_FLAGS "" {
        UNAME26, ADDR_NO_RANDOMIZE, FDPIC_FUNCPTRS, MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT, READ_IMPLIES_EXEC,
        ADDR_LIMIT_32BIT, SHORT_INODE, WHOLE_SECONDS, STICKY_TIMEOUTS, ADDR_LIMIT_3GB
    }
}

/// The domain of personality(2), with the flags that each constant contains: linux/personality.h.
pub static PERSONA: Set = Set::new(
    "PER_???",
    items!(x86_64 []
        PER_LINUX, PER_SVR4, PER_SVR3, PER_SCOSVR3, PER_OSR5, PER_WYSEV386, PER_ISCR4, PER_BSD, PER_XENIX,
        PER_LINUX32, PER_IRIX32, PER_IRIXN32, PER_IRIX64, PER_RISCOS, PER_SOLARIS, PER_UW7, PER_OSF4, PER_HPUX,
        PER_MASK
    ),
    false,
);
