// Makes calls from functions that call each other, after so many others that all of them are compiled.
using System.IO;

class Calls {
  static bool Check(int n) {
    return File.Exists("/stride-mark/" + n);
  }

  static int Round(int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      if (Check(i)) {
        found++;
      }
    }
    return found;
  }

  static int Main() {
    return Round(200);
  }
}
