use super::*;
use crate::{BlockRef, Bottom, Phase, StartKind};

fn call(tid: Tid) -> Call {
    let mut call = Call { tid, nr: 3, args: [7; 6], entered: Some(5), returned: 9, ..Call::default() };
    for (i, bytes) in [&b"one"[..], b"", b"two\0"].into_iter().enumerate() {
        let addr = 0x1000 * i as u64;
        call.blocks.push_block(BlockRef { op: i as u8, phase: Phase::Exit, addr, faulted: i == 1, bytes });
    }
    call
}

fn stack() -> Arc<Stack> {
    Arc::new(Stack { frames: Box::default(), bottom: Bottom::Limit })
}

fn rare(tid: Tid) -> Call {
    Call {
        resumes: Some(1),
        held: 9,
        system_time: 2,
        tampering: Tampering { arguments: true, ..Tampering::default() },
        file_kind: Some(FileKind::Terminal),
        counted: true,
        descriptors: vec![Descriptor { fd: 4, ..Descriptor::default() }],
        container: Some("c".into()),
        stack: Some(stack()),
        stack_calls: 6,
        waits: Some(Box::default()),
        ..call(tid)
    }
}

/// Events are what they were, in their order, and a call has no part of the call before it.
#[test]
fn events_come_out_as_they_went_in() {
    let (usual, rare, plain) = (call(1), rare(2), Call { tid: 3, ..Call::default() });
    let (info, stack) = ([3; SIGINFO_SIZE], stack());
    let library = LibraryCall { tid: 8, ..LibraryCall::default() };
    let events = [
        Event::Started { tid: 1, process: 1, origin: StartKind::Attached, at: 4 },
        Event::Enter(&usual),
        Event::Exit(&rare),
        Event::Signal { tid: 3, info: &info, ip: Some(1), stack: Some(&stack), at: 2 },
        Event::Exit(&plain),
        Event::Library(&library),
        Event::NamingCall(&usual),
        Event::Detached { tid: 2, call: Some(&rare), at: 5 },
        Event::Superseded { tid: 2, old: 3, call: None, at: 5 },
        Event::Detached { tid: 3, call: Some(&plain), at: 5 },
        Event::Lost { tid: 2, count: 3, at: 1 },
        Event::Idle,
    ];
    let (mut batch, mut sent, mut scratch) = (EventBatch::default(), EventBatch::default(), Call::default());
    sent.push(&Event::Idle);
    for _ in 0..2 {
        events.iter().for_each(|event| batch.push(event));
        assert!(batch.len() == events.len() && batch.size() > 1000);
        batch.move_to(&mut sent);
        assert!(batch.is_empty());
        let mut got = Vec::new();
        sent.drain(&mut scratch, |i, event| {
            assert_eq!(i, got.len());
            got.push(format!("{event:?}"));
        });
        assert_eq!(got, events.map(|event| format!("{event:?}")));
        assert!(sent.is_empty());
    }
}
