import type { Token, Tokens } from 'marked'

/** The text of inline tokens, without emphasis and addresses. */
export function tokensText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join('')
}

function tokenText(token: Token): string {
  if (token.type === 'br') return ' '
  const { tokens, text = token.raw } = token as Tokens.Generic
  return tokens ? tokensText(tokens) : text
}
