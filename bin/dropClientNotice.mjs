// Imported before the client library by whatever runs it in Node: on Node 20, which Linnet supports, the library prints
// that its later versions will not. Nobody who runs Linnet's tests can act on that. Functions print nothing: the library
// takes their process for Deno.
const { warn } = console
console.warn = (...args) => {
  if (!/Node\.js \d+ and below are deprecated .*@supabase\/supabase-js/.test(String(args[0]))) warn(...args)
}
