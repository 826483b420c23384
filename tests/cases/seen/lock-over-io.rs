// case: threads hold one lock while they wait for something slow, so they run in turn
// first: lock
// first: thread|turn
// useful: lock
// saves: time
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn slow_request() -> u64 {
    std::thread::sleep(Duration::from_millis(2));
    1
}

fn main() {
    let corrected = std::env::args().nth(1).as_deref() == Some("corrected");
    let total = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let total = total.clone();
            std::thread::spawn(move || {
                for _ in 0..100 {
                    if corrected {
                        let got = slow_request();
                        *total.lock().unwrap() += got;
                    } else {
                        let mut total = total.lock().unwrap();
                        *total += slow_request();
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("{}", total.lock().unwrap());
}
