/**
 * Code that replaces small and frequently imported modules of the network, by URL pattern.
 */
const replacements: readonly [pattern: RegExp, code: string][] = [
  // `serve` of std's old HTTP server, which std has replaced by Deno.serve.
  [
    /^https:\/\/deno\.land\/std(?:@[^/]*)?\/http\/(?:server|mod)\.ts$/,
    'export const serve = (handler, options = {}) => Deno.serve(options, handler).finished;',
  ],
]

/** The replacement of the module at that URL; null if there is none. */
export function replacementFor(address: string): string | null {
  return replacements.find(([pattern]) => pattern.test(address))?.[1] ?? null
}
