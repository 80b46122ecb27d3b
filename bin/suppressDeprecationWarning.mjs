// Imported before the client library: on Node 20, which Linnet supports, the library prints a deprecation warning on which
// users of Linnet can't act. Functions need no such import, as the library detects their process as Deno.
const { warn } = console
console.warn = (...args) => {
  if (!/Node\.js \d+ and below are deprecated .*@supabase\/supabase-js/.test(String(args[0]))) warn(...args)
}
