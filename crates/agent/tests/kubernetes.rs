//! The agent on the nodes of a cluster: the manifest, the chart, and the plugin of kubectl. There is no cluster here: schemas judge the manifest, and a
//! script stands for kubectl, which runs commands of the agent's pod on this machine.

mod common;
#[path = "../../cli/tests/common/python_packages.rs"]
mod python;

use common::*;
use stride_test_support::programs::root;

fn packaged(name: &str) -> PathBuf {
    root().join("packaging/kubernetes").join(name)
}

/// The manifest that the chart makes, as it is committed.
fn manifest() -> String {
    fs::read_to_string(packaged("stride-agent.yaml")).unwrap()
}

#[test]
fn the_manifest_follows_the_schemas_of_kubernetes() {
    let python = or_skip!(python::with("kubernetes-validate"));
    let validate = python.with_file_name("kubernetes-validate");
    let judged = |file: &Path| {
        let output = Command::new(&validate).args(["--strict", "-k", "1.32"]).arg(file).output().unwrap();
        (output.status.success(), text(&output.stdout) + &text(&output.stderr))
    };
    let (right, said) = judged(&packaged("stride-agent.yaml"));
    assert!(right && said.contains("daemonset/stride-agent"), "{said}");
    let scratch = Scratch::new("agent-manifest");
    let wrong = scratch.path("wrong.yaml");
    fs::write(&wrong, manifest().replace("hostPID: true", "hostPid: true")).unwrap();
    assert!(!judged(&wrong).0, "a misspelt key is no mistake to this validator");
}

/// The chart makes the manifest. With STRIDE_UPDATE_DOCS in the environment, it is written.
#[test]
fn the_manifest_is_that_of_the_chart() {
    let chart = packaged("stride-agent");
    let template = |args: &[&str]| {
        let mut helm = Command::new("helm");
        helm.args(["template", "stride-agent"]).arg(&chart).args(args).output()
    };
    let Ok(made) = template(&["--namespace=monitoring"]) else { skip!("helm is not installed") };
    assert!(made.status.success(), "{made:?}");
    let head =
        "# Made by `helm template stride-agent packaging/kubernetes/stride-agent`, for those who have no Helm.\n";
    let made = format!("{head}{}", text(&made.stdout));
    if std::env::var_os("STRIDE_UPDATE_DOCS").is_some() {
        fs::write(packaged("stride-agent.yaml"), made).unwrap();
    } else {
        assert_eq!(manifest(), made, "run this test with STRIDE_UPDATE_DOCS=1");
    }
    for wrong in ["stateDirectory=x", "metricsPort=x", "imag.tag=1"] {
        let output = template(&["--set", wrong]).unwrap();
        assert!(!output.status.success(), "{wrong}: {output:?}");
    }
    let all = ["--set=storeSecret=s3,priorityClassName=p,env.A=b,metricsPort=0", "--set=imagePullSecrets[0].name=r"];
    let output = text(&template(&all).unwrap().stdout);
    assert!(["secretRef", "priorityClassName: p", "value: \"b\"", "name: r"].iter().all(|part| output.contains(part)));
    assert!(!output.contains("containerPort"), "{output}");
}

#[test]
fn the_configuration_of_the_manifest_is_right() {
    let manifest = manifest();
    let lines = manifest.lines().skip_while(|line| *line != "  agent.toml: |").skip(1);
    let config: Vec<&str> = lines.take_while(|line| line.starts_with("    ")).map(str::trim_start).collect();
    let scratch = Scratch::new("agent-manifest-config");
    let check = |text: &str| {
        fs::write(scratch.path("agent.toml"), text).unwrap();
        let config = format!("--config={}", scratch.path("agent.toml").display());
        Command::new(AGENT).args(["--check", &config]).output().unwrap()
    };
    let output = check(&config.join("\n"));
    assert!(output.status.success(), "{output:?}");
    // Also with the example in it.
    let whole = config.join("\n").replace("# ", "");
    let output = check(&whole);
    assert!(text(&output.stdout).contains("2 tracers"), "{whole}: {output:?}");
}

/// Stands for kubectl: answers what the plugin asks of the API server, and runs commands of the agent's pod here.
const KUBECTL: &str = r#"
echo "$*" >>"$ASKED"
case $* in
"config view --minify -o jsonpath={..namespace}") printf shop ;;
"-n "*" get pod web-0 -o jsonpath={.spec.nodeName}") printf node-1 ;;
"-n "*" get pod pending -o jsonpath={.spec.nodeName}") ;;
"-n "*" get pod "*) echo "Error from server (NotFound): pods not found" >&2; exit 1 ;;
*"get pods -l app.kubernetes.io/name=stride-agent --field-selector spec.nodeName=node-1,status.phase=Running "*)
	case $* in "-n nowhere"*) ;; *) printf 'monitoring stride-agent-x1\nother y\n' ;; esac ;;
"-n monitoring exec stride-agent-x1 -- stride-agent "*)
	shift 6
	exec "$AGENT" --socket="$SOCKET" "$@" ;;
*) echo "unexpected: $*" >&2; exit 9 ;;
esac
"#;

#[test]
fn the_plugin_asks_the_agent_of_the_pods_node() {
    let scratch = Scratch::new("agent-kubectl");
    let stride = scratch.path("stride");
    script(&stride, "case $* in *--export*) while :; do sleep 0.05; done ;; esac; echo \"traced: $*\"; exit 3");
    fs::create_dir(scratch.path("bin")).unwrap();
    script(&scratch.path("bin/kubectl"), KUBECTL);
    let mut agent = Agent::start(scratch, &stride, "[metrics]\nexport = ['prometheus://:9']\n", &[]);
    let asked = agent.scratch.path("asked");
    let plugin = |args: &[&str]| {
        let mut plugin = Command::new(packaged("kubectl-stride"));
        let path = format!("{}:{}", agent.scratch.path("bin").display(), std::env::var("PATH").unwrap());
        plugin.args(args).env("PATH", path).env("AGENT", AGENT).env("ASKED", &asked);
        plugin.env("SOCKET", agent.scratch.path("agent.sock")).stdin(Stdio::null());
        let output = plugin.output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let end = "--for=1h --redact\n";
    for (args, options) in [
        (&["web-0"][..], "--container=shop/web-0/*"),
        (&["-n", "a", "web-0/nginx", "-e", "trace=openat"], "--container=a/web-0/nginx -e trace=openat"),
        (&["--namespace=a", "--agent-namespace=monitoring", "web-0", "-c"], "--container=a/web-0/* -c"),
    ] {
        let shown = format!("traced: {options} {end}");
        assert_eq!(plugin(args), (Some(3), shown, String::new()), "{args:?}: {}", agent.scratch.read("asked"));
    }
    for (args, why) in [
        (&[][..], "no pod is named"),
        (&["-n"], "needs the name"),
        (&["-x", "web-0"], "-x stands before the pod"),
        (&["gone"], "pods not found"),
        (&["pending"], "runs on no node yet"),
        (&["--agent-namespace=nowhere", "web-0"], "no agent of Stride runs on the node node-1"),
        (&["web-0", "-o", "/tmp/x"], "'-o' is none of the options"),
        (&["web-0", "--", "sh"], "'--' is none of the options"),
    ] {
        let (status, _, said) = plugin(args);
        assert!(status == Some(1) && said.contains(why), "{args:?}: {status:?} {said}");
    }
    agent.end();
}
