<?php
// Makes calls in many situations, and tells for each of them which functions run, as PHP itself knows them.
//
// Each call has a number in its path. A line of the file that is told has the number of a call and its frames, innermost first: function, file, line.

const MARK = "/stride-mark/";
$told = fopen($argv[1], "a");
$next = 0;

function mark($label = "") {
    global $told, $next;
    $number = $next++;
    $trace = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
    $frames = [];
    foreach ($trace as $i => $entry) {
        $caller = $trace[$i + 1] ?? null;
        // The caller of a function without a line is written in C, and so are functions of FFI.
        if (isset($entry["line"]) && ($caller["class"] ?? "") !== "FFI") {
            $name = $caller["function"] ?? "{main}";
            if (in_array($name, ["include", "include_once", "require", "require_once", "eval"])) {
                $name = "{main}";
            } elseif (isset($caller["class"])) {
                $name = explode("\0", $caller["class"])[0] . "::" . $name;
            }
            $frames[] = "$name\t{$entry["file"]}\t{$entry["line"]}";
        }
    }
    fwrite($told, $number . "\x01" . implode("\x01", $frames) . "\n");
    return file_exists(MARK . $number);
}

function recursion($n) {
    return $n ? recursion($n - 1) : mark();
}

function deep_in_c($n) {
    return $n ? array_map(fn($m) => deep_in_c($m), [$n - 1]) : mark();
}

trait Marks {
    function of_trait() { mark(); }
}

abstract class Base {
    static function made() { mark(); return new static; }
    function inherited() { $this->implemented(); }
    abstract function implemented();
}

class Shop extends Base implements IteratorAggregate, ArrayAccess, Countable, JsonSerializable {
    use Marks;
    public $values = [3, 1, 2];

    function __construct() { mark(); }
    function implemented() { mark(); }
    function __call($name, $arguments) { mark(); }
    static function __callStatic($name, $arguments) { mark(); }
    function __get($name) { mark(); return 1; }
    function __set($name, $value) { mark(); }
    function __isset($name) { return !mark(); }
    function __toString(): string { mark(); return "shop"; }
    function __invoke($value) { mark(); return $value; }
    function __clone() { mark(); }
    function __sleep() { mark(); return ["values"]; }
    function __wakeup() { mark(); }
    function __destruct() { mark(); }
    function getIterator(): Iterator { mark(); return new ArrayIterator($this->values); }
    function offsetExists($key): bool { mark(); return true; }
    function offsetGet($key): mixed { mark(); return 1; }
    function offsetSet($key, $value): void { mark(); }
    function offsetUnset($key): void { mark(); }
    function count(): int { mark(); return 1; }
    function jsonSerialize(): mixed { mark(); return []; }
    function compare($a, $b) { mark(); return $a <=> $b; }
    function sorted() { usort($this->values, [$this, "compare"]); }
}

class Steps implements Iterator {
    private $at = 0;
    function current(): mixed { mark(); return $this->at; }
    function key(): mixed { mark(); return $this->at; }
    function next(): void { mark(); $this->at++; }
    function rewind(): void { mark(); }
    function valid(): bool { mark(); return $this->at < 2; }
}

class Store {
    public $context;
    function stream_open($path, $mode, $options, &$opened) { mark(); return true; }
    function stream_read($count) { mark(); return ""; }
    function stream_eof() { return true; }
    function stream_stat() { return []; }
    function stream_close() { mark(); }
}

function objects() {
    $shop = Shop::made();
    $shop->inherited();
    $shop->of_trait();
    $shop->no_such_method();
    Shop::no_such_method();
    $shop->missing;
    $shop->missing = 1;
    isset($shop->missing);
    "$shop";
    $shop(1);
    array_map($shop, [1, 2]);
    clone $shop;
    unserialize(serialize($shop));
    foreach ($shop as $value);
    isset($shop["a"]) && $shop["b"];
    $shop["c"] = 1;
    unset($shop["d"]);
    count($shop);
    json_encode($shop);
    $shop->sorted();
    foreach (new Steps as $key => $value);
    (new class { function run() { mark(); } })->run();
    (new ReflectionMethod("Shop", "implemented"))->invoke($shop);
    $method = Closure::fromCallable([$shop, "implemented"]);
    $method();
    stream_wrapper_register("shop", "Store");
    file_get_contents("shop://a");
}

function callbacks() {
    array_map(function ($x) { mark(); return $x; }, [1, 2]);
    array_walk_recursive($GLOBALS["nested"], fn() => mark());
    call_user_func("mark");
    call_user_func_array("recursion", [3]);
    preg_replace_callback("/b/", function ($m) { mark(); return "c"; }, "abc");
    usort($GLOBALS["numbers"], function ($a, $b) {
        mark();
        return $a <=> $b;
    });
    array_reduce(
        [1, 2],
        fn($sum, $x) =>
            $sum + $x + mark(),
        0,
    );
    ob_start(function ($text) { return ""; });
    echo "text";
    ob_end_clean();
    iterator_apply($steps = new Steps, function () { mark(); return true; });
    spl_autoload_register(function ($class) { mark(); });
    class_exists("NoSuchClass");
    is_callable("NoSuchClass::method");
    deep_in_c(5);
}

function generator($n) {
    mark();
    $got = yield $n;
    mark();
    try {
        yield $got;
    } catch (Exception) {
        mark();
    } finally {
        mark();
    }
}

function generators() {
    foreach (generator(1) as $x) mark();
    $generator = generator(2);
    $generator->current();
    $generator->send(3);
    $generator->throw(new Exception);
    iterator_to_array((function () { yield mark(); yield mark(); })());
}

function thrown($n) {
    try {
        if (!$n) throw new Exception("here");
        thrown($n - 1);
    } finally {
        mark();
    }
}

function exceptions() {
    try {
        thrown(3);
    } catch (Exception $e) {
        mark();
    }
    set_error_handler(function ($number, $text) { mark(); return true; });
    echo $no_such_variable;
    trigger_error("own");
    [][0];
    restore_error_handler();
}

function fibers() {
    $inner = function ($n) {
        mark();
        Fiber::suspend($n);
        mark();
        recursion(3);
    };
    $fiber = new Fiber($inner);
    $fiber->start(1);
    mark();
    (fn() => $fiber->resume())();
    $outer = new Fiber(function () use ($inner) {
        $fiber = new Fiber($inner);
        $fiber->start(2);
        mark();
        Fiber::suspend();
        array_map(fn() => $fiber->resume(), [1]);
    });
    $outer->start();
    mark();
    $outer->resume();
}

// Code that is gone when Stride looks, and other code takes its place.
function made_at_run_time() {
    for ($i = 0; $i < 30; $i++) {
        $lines = str_repeat("\n", $i % 7);
        eval("$lines mark();");
        $f = eval("return function () { $lines mark(); };");
        $f();
        $f = null;
        eval("function made_$i() { $lines mark(); } made_$i();");
        eval("class Made$i { function run() { $lines mark(); } } (new Made$i)->run();");
        eval("(new class { function run_$i() { $lines mark(); } })->run_$i();");
    }
    $file = tempnam(sys_get_temp_dir(), "frames");
    for ($i = 0; $i < 5; $i++) {
        file_put_contents($file, "<?php\n" . str_repeat("\n", $i) . "mark();\nreturn fn() => mark();");
        (include $file)();
    }
    unlink($file);
}

function long_names() {
    $name = "f" . str_repeat("_long", 60);
    eval("function $name() { mark(); }");
    $name();
    eval("namespace Büro\\Straße; function größe() { \\mark(); }");
    ("Büro\\Straße\\größe")();
}

function signals() {
    if (!function_exists("pcntl_signal")) return;
    pcntl_async_signals(true);
    pcntl_signal(SIGUSR1, function () { mark(); });
    posix_kill(getmypid(), SIGUSR1);
    for ($i = 0; $i < 3; $i++) mark();
}

function children() {
    global $next;
    if (!function_exists("pcntl_fork")) return;
    if (!$child = pcntl_fork()) {
        mark();
        recursion(2);
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
    $next += 2;
}

function native_callbacks() {
    if (!class_exists("FFI")) return;
    $c = FFI::cdef("void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));", "libc.so.6");
    $numbers = FFI::new("int[2]");
    $c->qsort($numbers, 2, 4, function ($a, $b) { mark(); return 0; });
}

$nested = [[1], [2]];
$numbers = [3, 1, 2];
mark();
recursion(0);
recursion(20);
recursion(480);
objects();
callbacks();
generators();
exceptions();
fibers();
made_at_run_time();
long_names();
signals();
children();
native_callbacks();
for ($i = 0; $i < 20; $i++) {
    mark();
    mark();
}
if (PHP_VERSION_ID >= 80100) {
    eval('enum Suit { case Hearts; function tell() { mark(); } } Suit::Hearts->tell(); $f = recursion(...); $f(1);');
}
register_shutdown_function(function () { mark(); });
set_exception_handler(function ($e) { mark(); });
throw new Exception("at the end");
