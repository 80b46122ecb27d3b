import { MENTION_IN_CODE } from './parseInlines.ts'

/**
 * Who and what a stored text mentions, each once: profile ids, ids of groups after "&" and of channels after "#", 'channel' and
 * 'here'. Needs no tree: an unescaped token is a mention wherever it stands, as for the function `app.mention_marks`.
 */
export function mentionsOf(body: string): string[] {
  if (!body.includes('<')) return []
  const found = new Set<string>()
  for (const [, slashes = '', , person, channel, mass] of body.matchAll(MENTION_IN_CODE))
    if (slashes.length % 2 === 0) found.add((person ?? channel ?? mass)!)
  return [...found]
}
