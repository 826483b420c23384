# Makes calls in many situations, and tells for each of them which functions run, as Ruby itself knows them.
#
# Each call has a number in its path. A line of the file that is told has the number of a call and its frames, innermost first: function, file, line.

MARK = "/stride-mark/"
TOLD = File.open(ARGV[0], "a:UTF-8")
TOLD.sync = true
LOCK = Mutex.new
$next = 0

# Methods that are written in C have the place of their caller. Those of this program have a place between their own first and last line.
OWN = Hash.new { |all, name| all[name] = [] }
lines = File.readlines(__FILE__, encoding: "UTF-8")
for i in 0...lines.size
  indent, name, rest = lines[i].match(/^( *)def (?:self\.)?([^\s(;]+)(.*)/)&.captures
  next unless name
  last = i
  last += 1 until rest.match?(/\A(\([^)]*\))? = /) || lines[last] == "#{indent}end\n"
  OWN[name] << (i + 1..last + 1)
end

# The name of the code: since 3.4, labels of methods begin with their class, which is found for a backtrace only.
def name_of(place)
  place.label.sub(/((?:\A| in ))(?:[A-Z]\w*(?:::[A-Z]\w*)*|#<.*?>)[#.](?=\S)/, '\1')
end

def of_ruby?(place)
  label = name_of(place)
  return true if label.match?(/\A(<main>|<top|<class:|<module:|singleton class|made_)| in /) || place.path&.start_with?("<internal:")
  place.path == __FILE__ ? OWN[label].any? { |lines| lines.include?(place.lineno) } : label == "mktmpdir"
end

def mark(*)
  number = LOCK.synchronize { $next += 1 }
  frames = []
  for place in caller_locations(1)
    frames << "#{name_of(place)}\t#{place.path}\t#{place.lineno}" if of_ruby?(place)
  end
  line = [number, *frames].join("\x01")
  LOCK.synchronize { TOLD.write(line + "\n") }
  File.exist?(MARK + number.to_s)
end

def recursion(n)
  n > 0 ? recursion(n - 1) : mark
end

def deep_in_c(n)
  n > 0 ? [n - 1].map { |m| deep_in_c(m) } : mark
end

def with_block
  mark
  yield 1
  mark
end

module Marks
  def of_module
    mark
  end
end

class Base
  mark
  def inherited_one
    implemented
  end
end

class Shop < Base
  include Marks
  include Enumerable
  include Comparable
  mark

  def initialize(n = 0)
    @n = n
    mark
  end

  def implemented = mark

  def self.of_class
    mark
  end

  def each
    mark
    yield 3
    yield 1
    mark
  end

  def <=>(other)
    mark
    0
  end

  def to_s
    mark
    "shop"
  end

  def [](key)
    mark
  end

  def []=(key, value)
    mark
  end

  def +(other)
    mark
    self
  end

  def coerce(other)
    mark
    [self, self]
  end

  def to_proc
    mark
    ->(x) { mark; x }
  end

  def ==(other)
    mark
    true
  end

  def hash
    mark
    1
  end

  def method_missing(name, *arguments)
    mark
  end

  def respond_to_missing?(name, all)
    mark
    false
  end

  def sorted
    [3, 1, 2].sort { |a, b| mark; a <=> b }
  end

  define_method(:made_by_block) { mark }
  define_method(:made_of_method, instance_method(:implemented))
  attr_accessor :value
end

class Refusing < Shop
  def initialize
    super
    mark
  end

  def implemented
    super
    mark
  end
end

def objects
  shop = Shop.new(1)
  shop.inherited_one
  shop.of_module
  Shop.of_class
  shop.no_such_method
  shop.respond_to?(:nothing)
  shop.sorted
  shop.made_by_block
  shop.made_of_method
  "#{shop}"
  shop[1]
  shop[1] = 2
  shop + 1
  1 + shop
  shop > Shop.new
  [1, 2].map(&shop)
  shop.first
  shop.include?(1)
  shop.map { |x| mark }
  shop.each_with_index { |x, i| mark }
  shop.inject(0) { |sum, x| mark; sum + x }
  shop.lazy.map { |x| mark; x }.first(1)
  { shop => 1 }[shop]
  [shop].include?(1)
  Refusing.new.implemented
  shop.send(:implemented)
  shop.public_send(:of_module)
  shop.method(:implemented).call
  shop.method(:implemented).to_proc.call
  shop.method(:implemented).unbind.bind(shop).call
  shop.instance_eval { mark }
  shop.instance_exec(1) { |x| mark }
  Shop.class_eval { mark }
  shop.define_singleton_method(:made_single) { mark }
  shop.made_single
  class << shop
    mark
    def of_this_one = mark
  end
  shop.of_this_one
  Class.new { mark }
  kind = Struct.new(:a) do
    mark
    def of_struct = mark
  end
  kind.new(1).of_struct
end

def callbacks
  [1, 2].each_slice(1) { |x| mark }
  3.times { mark }
  1.upto(2) { |i| mark }
  [3, 1, 2].sort_by { |x| mark; x }
  { a: 1 }.map { |k, v| mark }
  "abc".gsub(/b/) { mark; "c" }
  Hash.new { |h, k| mark; h[k] = 1 }[:a]
  Array.new(2) { |i| mark }
  lambda { |x| mark }.call(1)
  proc { |x| mark }.(1)
  with_block { |x| mark }
  with_block(&:succ)
  1.tap { mark }
  1.then { |x| mark }
  catch(:done) { mark; throw :done }
  (method(:recursion) >> method(:mark)).call(2)
  [1].each_with_object([]) { |x, a| [2].map { |y| [3].map { |z| mark } } }
  ObjectSpace.each_object(Class) { |c| mark; break }
  deep_in_c(5)
  at = [
    1,
    mark,
    2,
  ]
end

def thrown(n)
  raise "here" if n == 0
  thrown(n - 1)
rescue ArgumentError
  mark
ensure
  mark
end

def exceptions
  begin
    thrown(3)
  rescue => e
    mark
  else
    mark
  ensure
    mark
  end
  tries = 0
  begin
    tries += 1
    mark
    raise "again" if tries < 3
  rescue
    mark
    retry
  end
  [1, 2].each_entry do |x|
    mark
    next
  end
  while true
    mark
    break
  end
end

def enumerators
  numbers = Enumerator.new do |out|
    mark
    out << 1
    mark
    out.yield 2
  end
  numbers.next
  numbers.next
  numbers.take(2)
  shop = Shop.new.to_enum
  shop.next
  shop.next
end

def fibers
  fiber = Fiber.new do |x|
    mark
    Fiber.yield x
    recursion(3)
  end
  fiber.resume(1)
  mark
  [1].map { fiber.resume }
  outer = Fiber.new do
    inner = Fiber.new { mark; Fiber.yield; mark }
    inner.resume
    mark
    Fiber.yield
    inner.resume
  end
  outer.resume
  mark
  outer.resume
end

def threads
  started = (1..4).map do |i|
    Thread.new(i) do |n|
      10.times { recursion(n) }
      Thread.pass
      Fiber.new { mark }.resume
    end
  end
  mark
  started.map(&:join)
  Thread.new { sleep 0.01; mark }.join
end

# Code that is gone when Stride looks, and other code takes its place.
def made_at_run_time
  30.times do |i|
    lines = "\n" * (i % 7)
    eval("#{lines} mark")
    eval("proc { #{lines} mark }").call
    eval("def made_#{i}; #{lines} mark; end; made_#{i}", TOPLEVEL_BINDING, "made-#{i % 3}.rb", 100 + i)
    eval("Class.new { def made_again; #{lines} mark; end }.new.made_again")
    Object.class_eval("def made_other; #{lines} mark; end", __FILE__, i)
    made_other
    Object.send(:remove_method, "made_#{i}")
    GC.start if i % 10 == 9
  end
end

def files
  require "tmpdir"
  Dir.mktmpdir do |directory|
    5.times do |i|
      path = "#{directory}/file#{i % 2}.rb"
      File.write(path, "\n" * i + "mark\ndef made_in_file = mark\n[1].map { mark }\n")
      load path
      made_in_file
    end
    File.write("#{directory}/needed.rb", "module Needed\n  mark\nend\n")
    require_relative "#{directory}/needed"
  end
end

def long_names
  name = "made_#{"long_" * 60}"
  eval("def #{name} = mark")
  send(name)
  eval("def made_größe = mark")
  made_größe
  # A function with so many instructions that its table of lines has several blocks.
  body = (1..700).map { |i| "  x = #{i} + x" }.join("\n")
  eval("def made_large(x)\n  mark\n#{body}\n  mark\n#{body}\n  mark\nend")
  made_large(1)
end

def signals
  trap("USR1") { File.exist?(MARK) }
  Process.kill("USR1", Process.pid)
  3.times { mark }
end

def children
  child = fork do
    $next += 1000
    mark
    recursion(2)
    exit!
  end
  Process.wait(child)
end

mark
recursion(0)
recursion(20)
recursion(400)
objects
callbacks
exceptions
enumerators
fibers
threads
made_at_run_time
files
long_names
signals
children
20.times do
  mark
  mark
end
BEGIN { $begun = true }
at_exit { mark }
mark if $begun
