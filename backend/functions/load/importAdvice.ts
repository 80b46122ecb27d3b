/** What to write instead of a URL or JSR package, by prefix; the first match is used. */
const alternatives: readonly [pattern: RegExp, instead: string][] = [
  [
    /^https:\/\/deno\.land\/std[^/]*\/dotenv\//,
    'Leave it out: supabase/functions/.env is in Deno.env already.',
  ],
  [/^https:\/\/deno\.land\/std[^/]*\/path\//, 'Write "node:path" instead.'],
  [/^https:\/\/deno\.land\/std[^/]*\/(?:crypto|hash)\//, 'Use the global crypto, or "node:crypto".'],
  [/^https:\/\/deno\.land\/std[^/]*\/uuid\//, 'Use crypto.randomUUID().'],
  [/^https:\/\/deno\.land\/std[^/]*\/node\//, 'Write "node:" and the name of the module instead.'],
  [
    /^https:\/\/deno\.land\/std[^/]*\/async\//,
    'Write "node:timers/promises", or install the package: npx jsr add @std/async',
  ],
  [/^https:\/\/deno\.land\/x\/(?:postgres|postgresjs)\b/, 'Write "npm:postgres" instead.'],
  [/^https:\/\/deno\.land\/x\/(?:djwt|jose)\b/, 'Write "npm:jose" instead.'],
  [/^https:\/\/deno\.land\/x\/(?:oak|hono|opine|drash)\b/, 'Write "npm:hono" instead.'],
  [/^https:\/\/deno\.land\/x\/(?:smtp|denomailer)\b/, 'Write "npm:nodemailer" instead.'],
  [/^https:\/\/deno\.land\/x\/bcrypt\b/, 'Write "npm:bcryptjs" instead.'],
  [/^https:\/\/deno\.land\/x\/redis\b/, 'Write "npm:ioredis" instead.'],
  [/^https:\/\/deno\.land\/x\/mysql\b/, 'Write "npm:mysql2" instead.'],
  [
    /^https:\/\/deno\.land\/x\/(zod|openai|nanoid|imagescript|xhr|grammy|kysely|preact)\b/,
    'Write "npm:$1" instead.',
  ],
  [
    /^https:\/\/deno\.land\/std(?:@[^/]*)?\/([a-z_]+)\//,
    'Install it from JSR: npx jsr add @std/$1, then write "jsr:@std/$1".',
  ],
]

/** A sentence on what to write instead of `specifier`, an `https:` URL; null if there is no known alternative. */
export function importAdvice(specifier: string): string | null {
  for (const [pattern, instead] of alternatives) {
    const match = pattern.exec(specifier)
    // Old names of std contain underscores, JSR's packages hyphens.
    if (match) return instead.replaceAll('$1', (match[1] ?? '').replaceAll('_', '-'))
  }
  return null
}
