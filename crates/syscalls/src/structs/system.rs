//! The machine: names, modules, log, reboot.
