/**
 * Modules from the network that are so small, and so often imported, that we write them ourselves; by a pattern of
 * their address.
 */
const standIns: readonly [pattern: RegExp, code: string][] = [
  // The `serve` of std's old HTTP server, which std itself gave up for Deno.serve.
  [
    /^https:\/\/deno\.land\/std(?:@[^/]*)?\/http\/(?:server|mod)\.ts$/,
    'export const serve = (handler, options = {}) => Deno.serve(options, handler).finished;',
  ],
]

/** The code that stands in for the module at that address; null where none does. */
export function standInFor(address: string): string | null {
  return standIns.find(([pattern]) => pattern.test(address))?.[1] ?? null
}
