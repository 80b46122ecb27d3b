// Suppresses a deprecation warning of the client library. Import it before the library. The library prints the
// warning on Node 20, which Linnet supports, and users of Linnet can't act on it. Functions need no such import,
// because the library detects their process as Deno.
const { warn } = console
console.warn = (...args) => {
  if (!/Node\.js \d+ and below are deprecated .*@supabase\/supabase-js/.test(String(args[0]))) warn(...args)
}
