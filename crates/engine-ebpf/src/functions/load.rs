//! Loading the programs at functions, from an object of their own (`bpf/functions.bpf.c`) that uses the maps of the first.

use super::holder::{self, HookProgram};
use super::hooks::Hooks;
use super::preemption;
use super::search;
use crate::loading::bare::{Bare, ProgramPlace, run};
use crate::loading::object;
use crate::loading::programs::Programs;
use crate::loading::relocate::{self, Types};
use crate::loading::specialize::Constants;
use crate::plans::hooked::HookedCalls;
use crate::ring::Mapping;
use crate::wire::{FunctionsSkelBuilder, OpenFunctionsSkel, bound, bss, function_name, function_search};
use libbpf_rs::skel::OpenSkel;
use libbpf_rs::{AsRawLibbpf, libbpf_sys};
use std::collections::HashMap;
use std::ffi::CStr;
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;

/// The input of the thread that loads the programs.
pub struct HookInput {
    /// The maps of the first object by their names. `None`: the map is not used.
    maps: HashMap<String, Option<OwnedFd>>,
    /// The contents of the map of settings.
    settings: Vec<u8>,
    /// The programs' variables.
    variables: Mapping,
    /// The kernel's types. `None`: libbpf finds them itself.
    types: Option<Types>,
    wanted: HookedCalls,
}

impl HookInput {
    pub fn of(programs: &Programs, wanted: HookedCalls) -> io::Result<HookInput> {
        let variables = Mapping::variables(programs.variables(), size_of::<bss>())?;
        let types = programs.types().map(Types::share).transpose()?;
        Ok(HookInput { maps: programs.maps()?, settings: programs.settings(), variables, types, wanted })
    }
}

/// The programs, by the names that they have in `bpf/functions.h`.
const ENTER: &CStr = c"on_function_enter";
const EXIT: &CStr = c"on_function_exit";
const SKIPPED: &CStr = c"on_function_skipped";
const SEARCH: &CStr = c"find_functions";
const THREADS: &CStr = c"count_missing";

/// Finds the functions, loads the programs, and has them attached. The error says why that cannot be done.
pub fn attach(given: HookInput) -> Result<Hooks, String> {
    // (If this is 0, programs can be attached to functions, but never run.)
    let traced = std::fs::read_to_string("/proc/sys/kernel/ftrace_enabled").unwrap_or_default();
    if traced.trim() != "1" {
        return Err("tracing of functions is switched off (kernel.ftrace_enabled)".to_owned());
    }
    if preemption::may_be_full() {
        return Err("the kernel may preempt threads in its functions (preempt=full), or does not tell (/sys/kernel/debug is not mounted)".to_owned());
    }
    let failed = |what: &'static str| move |e: io::Error| format!("{what}: {e}");
    let object = Object::open(&given).map_err(|e| format!("preparing the programs: {e}"))?;
    object
        .program(SEARCH)
        .and_then(|program| run(&program.load(ProgramPlace::Nowhere)?))
        .map_err(failed("finding functions"))?;
    let found = search::functions(&answer(&given.variables), &given.wanted.old)?;
    let prepared = |name| object.program(name).map_err(failed("preparing a program at a function"));
    let load = |program: &Bare, how, target| -> Result<HookProgram, String> {
        let loaded = program.load(ProgramPlace::At(how, target));
        Ok(HookProgram { program: loaded.map_err(failed("loading a program at a function"))?, how })
    };
    let (enter, exit) = (prepared(ENTER)?, prepared(EXIT)?);
    // The programs at functions' ends come first: with each further program, the kernel replaces the code that calls them, and threads that
    // are in the function return without the programs at its end.
    let mut programs = Vec::new();
    for &call in &found.calls {
        programs.push(load(&exit, libbpf_sys::BPF_TRACE_FEXIT, call)?);
        programs.push(load(&enter, libbpf_sys::BPF_TRACE_FENTRY, call)?);
    }
    programs.push(load(&prepared(SKIPPED)?, libbpf_sys::BPF_TRACE_FEXIT, found.seccomp)?);
    let threads = load(&prepared(THREADS)?, libbpf_sys::BPF_TRACE_ITER, found.threads)?;
    let threads = threads.attach().map_err(failed("looking at threads"))?;
    let over = offset_of!(bss, hooks_over);
    let holder =
        holder::hold(&programs, given.variables.word(over)).map_err(failed("attaching a program to a function"))?;
    Ok(Hooks { functions: found.calls.len() + 1, holder, threads, variables: given.variables })
}

/// The object, prepared: its programs could be loaded.
struct Object {
    open: OpenFunctionsSkel<'static>,
    settings: Constants,
}

impl Object {
    fn open(given: &HookInput) -> libbpf_rs::Result<Object> {
        let mut open = relocate::open(given.types.as_ref(), FunctionsSkelBuilder::default())?;
        for mut program in open.open_object_mut().progs_mut() {
            let is_ours = [ENTER, EXIT, SKIPPED, SEARCH, THREADS]
                .iter()
                .any(|name| program.name() == name.to_str().unwrap_or_default());
            program.set_autoload(is_ours);
        }
        let cpus = libbpf_rs::num_possible_cpus()? as u32;
        for mut map in open.open_object_mut().maps_mut() {
            match given.maps.get(&object::own_name(map.name())) {
                // Programs at functions may be preempted, so they have scratch memory of their own.
                Some(_) if ["scratches", "demultiplexings"].iter().any(|own| map.name() == *own) => {
                    map.set_max_entries(cpus)?
                }
                Some(Some(fd)) => map.reuse_fd(fd.as_fd())?,
                Some(None) => map.set_autocreate(false)?,
                // (Only this object has it.)
                None => {}
            }
        }
        object::prepare(&mut open)?;
        let settings = Constants { map: object::descriptor(&open.maps.rodata), bytes: given.settings.clone() };
        given.ask();
        Ok(Object { open, settings })
    }

    fn program(&self, name: &'static CStr) -> io::Result<Bare> {
        // SAFETY: the object is open and prepared.
        unsafe { Bare::of(self.open.open_object().as_libbpf_object().as_ptr(), name, &self.settings) }
    }
}

impl HookInput {
    fn ask(&self) {
        let word = |offset: usize| self.variables.word(offset_of!(bss, functions) + offset);
        word(offset_of!(function_search, n)).store(self.wanted.numbers.len() as u32, Ordering::Relaxed);
        for (i, &nr) in self.wanted.numbers.iter().enumerate() {
            word(offset_of!(function_search, numbers) + 4 * i).store(nr, Ordering::Relaxed);
        }
    }
}

fn answer(variables: &Mapping) -> function_search {
    let at = offset_of!(bss, functions);
    let word = |offset: usize| variables.word(at + offset).load(Ordering::Relaxed);
    let name = |i: usize| {
        let at = at + offset_of!(function_search, names) + i * size_of::<function_name>();
        function_name { text: std::array::from_fn(|part| variables.long(at + 8 * part).load(Ordering::Relaxed)) }
    };
    function_search {
        n: word(offset_of!(function_search, n)).min(bound::MOST_FUNCTIONS.0),
        failed: word(offset_of!(function_search, failed)),
        numbers: std::array::from_fn(|i| word(offset_of!(function_search, numbers) + 4 * i)),
        names: std::array::from_fn(name),
        has_32bit: word(offset_of!(function_search, has_32bit)),
        has_x32: word(offset_of!(function_search, has_x32)),
    }
}

impl HookProgram {
    fn attach(&self) -> io::Result<OwnedFd> {
        // SAFETY: a new descriptor, which is nobody else's.
        unsafe {
            let link = libbpf_sys::bpf_link_create(self.program.as_raw_fd(), 0, self.how, std::ptr::null());
            if link < 0 { Err(io::Error::from_raw_os_error(-link)) } else { Ok(OwnedFd::from_raw_fd(link)) }
        }
    }
}
