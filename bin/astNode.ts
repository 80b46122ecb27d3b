/** A node of a parsed program (ESTree). */
export interface AstNode {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

export const isAstNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && typeof (value as AstNode).type === 'string'

/** The nodes directly below one, in no particular order. */
export function childrenOf(node: AstNode): AstNode[] {
  return Object.values(node).flat().filter(isAstNode)
}
