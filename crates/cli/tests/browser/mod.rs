//! A headless Chromium, driven over a pipe by the DevTools protocol.
#![allow(dead_code)] // Each test uses its part.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const CHROMIUM: &str = "/usr/bin/chromium";

pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    /// The events that the browser sent by itself.
    events: Vec<Value>,
}

impl Browser {
    /// `None` if there is no browser. The profile is in `scratch`.
    pub fn start(scratch: &Path) -> Option<Browser> {
        if !Path::new(CHROMIUM).exists() {
            return None;
        }
        // The protocol's descriptors are 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh", CHROMIUM, "--headless", "--no-sandbox"])
            .args(["--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", scratch.join("profile").display()))
            .arg("about:blank")
            .env("HOME", scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let (to, mut out) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|n| n > 1) {
                let read = serde_json::from_slice(&message[..message.len() - 1]).unwrap();
                message.clear();
                if sender.send(read).is_err() {
                    break;
                }
            }
        });
        Some(Browser { child, to, from, calls: 0, session: None, events: Vec::new() })
    }

    fn receive(&mut self) -> Value {
        // A browser that hangs fails the test.
        self.from.recv_timeout(Duration::from_secs(60)).expect("the browser answers")
    }

    #[track_caller]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.receive();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// Opens a page and waits until the page has drawn itself.
    #[track_caller]
    pub fn open(&mut self, page: &Path, scheme: &str) {
        self.session = None;
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        self.session = Some(attached["sessionId"].as_str().unwrap().into());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({ "width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.prefer(scheme);
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
    }

    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    #[track_caller]
    pub fn eval(&mut self, script: &str) -> Value {
        let mut result = self.call("Runtime.evaluate", json!({ "expression": script, "returnByValue": true }));
        assert!(result.get("exceptionDetails").is_none(), "{script}: {result}");
        result["result"]["value"].take()
    }

    #[track_caller]
    pub fn text(&mut self, script: &str) -> String {
        let value = self.eval(script);
        value.as_str().unwrap_or_else(|| panic!("{script}: {value}")).to_owned()
    }

    #[track_caller]
    pub fn number(&mut self, script: &str) -> f64 {
        let value = self.eval(script);
        value.as_f64().unwrap_or_else(|| panic!("{script}: {value}"))
    }

    /// Waits until the expression is true.
    #[track_caller]
    pub fn wait(&mut self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != json!(true) {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "waited in vain for {condition}: {:?}",
                self.complaints()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the page has drawn all pending changes.
    #[track_caller]
    pub fn settle(&mut self) {
        let frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
        self.call("Runtime.evaluate", json!({ "expression": frames, "awaitPromise": true }));
    }

    /// Scrolls to an element and returns its middle once the element stands still.
    #[track_caller]
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "{{ const it = document.querySelector({selector:?}); it.scrollIntoView({{ block: 'center' }}); \
             const box = it.getBoundingClientRect(); const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; \
             it.contains(document.elementFromPoint(x, y)) ? [x, y] : null }}"
        );
        let start = Instant::now();
        loop {
            let at = self.eval(&script);
            self.settle();
            if at.is_array() && at == self.eval(&script) {
                return (at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{selector} does not come to rest");
        }
    }

    #[track_caller]
    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call("Input.dispatchMouseEvent", params);
    }

    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let at = self.middle(selector);
        self.mouse("mousePressed", at, json!({}));
        self.mouse("mouseReleased", at, json!({ "buttons": 0 }));
    }

    #[track_caller]
    pub fn drag(&mut self, selector: &str, dx: f64) {
        let (x, y) = self.middle(selector);
        self.mouse("mousePressed", (x, y), json!({}));
        self.mouse("mouseMoved", (x + dx / 2.0, y), json!({}));
        self.mouse("mouseMoved", (x + dx, y), json!({}));
        self.mouse("mouseReleased", (x + dx, y), json!({ "buttons": 0 }));
    }

    /// Moves two fingers apart: the distance of each from the element's middle grows from `from` to `to`.
    #[track_caller]
    pub fn pinch(&mut self, selector: &str, from: f64, to: f64) {
        let (x, y) = self.middle(selector);
        let points = |far: f64| json!([{ "x": x - far, "y": y, "id": 1 }, { "x": x + far, "y": y, "id": 2 }]);
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": points(from) }));
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchMove", "touchPoints": points((from + to) / 2.0) }));
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchMove", "touchPoints": points(to) }));
        self.call("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    }

    #[track_caller]
    pub fn wheel(&mut self, selector: &str, dy: f64) {
        let at = self.middle(selector);
        self.mouse("mouseWheel", at, json!({ "button": "none", "buttons": 0, "deltaX": 0, "deltaY": dy }));
    }

    /// Presses a key, which is given by its name or as a character.
    #[track_caller]
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            _ => 0,
        };
        let mut params = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if key == "Enter" {
            params["text"] = "\r".into();
        }
        self.call("Input.dispatchKeyEvent", params.clone());
        params["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", params);
    }

    /// Errors and warnings on the console, exceptions, and resources that the policy has refused.
    pub fn complaints(&mut self) -> Vec<String> {
        let loud = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        let events = self.events.iter().filter(|event| loud.iter().any(|name| event["method"] == *name));
        events.map(|event| event["params"].to_string()).collect()
    }

    /// The requests of the page, including the page itself.
    pub fn requests(&mut self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser's children are killed with it.
        let group = nix::unistd::Pid::from_raw(self.child.id() as i32);
        let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        let _ = self.child.wait();
    }
}
