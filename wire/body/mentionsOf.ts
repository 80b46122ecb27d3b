const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** A mention. A program that writes a body puts a backslash before a token that is text. */
export const MENTION = new RegExp(String.raw`<(?:@(&?${ID})|(#${ID})|!(channel|here))>`, 'y')
/** A mention with the backslashes before it. An odd number of them makes it text. */
export const MENTION_IN_CODE = new RegExp(String.raw`(\\*)(${MENTION.source})`, 'g')

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
