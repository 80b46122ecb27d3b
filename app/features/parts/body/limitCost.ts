import { nodesOf } from '../../../../wire/body/nodesOf.ts'
import {
  codeText,
  type Block,
  type Formula,
  type FormulaBlock,
  type Inline,
} from '../../../../wire/body/tree.ts'

/**
 * Maximum number of highlighted characters in a message. Grammars are quadratic for some texts and run on the main
 * thread: 20,000 characters blocked it for 15 to 30 seconds.
 */
const MAX_HIGHLIGHTED = 2_000
/** Maximum characters of all formulas of a message, and their number: each costs the page up to a millisecond. */
const MAX_FORMULA_CHARACTERS = 3_000
const MAX_FORMULAS = 50

/** Limits what a message costs the page: beyond the limits, code has no colours, and formulas are shown as they are written. */
export function limitCost(blocks: Block[], source: string): Block[] {
  if (source.includes('```') || source.includes('~~~')) limitHighlighting(blocks, source)
  if (source.includes('$')) limitFormulas(blocks, source)
  return blocks
}

function limitHighlighting(blocks: Block[], source: string): void {
  const code = [...nodesOf(blocks)].filter((node) => node.type === 'codeBlock')
  const characters = code.reduce((sum, { children }) => sum + codeText(source, children).length, 0)
  if (characters > MAX_HIGHLIGHTED) for (const block of code) block.language = ''
}

function limitFormulas(blocks: Block[], source: string): void {
  const formulas = [...nodesOf(blocks)].filter(isFormula)
  const characters = formulas.reduce((sum, { start, end }) => sum + end - start, 0)
  if (formulas.length <= MAX_FORMULAS && characters <= MAX_FORMULA_CHARACTERS) return
  for (const node of formulas) {
    const text = source.slice(node.start, node.end)
    const children = [{ type: 'text', text, start: node.start, end: node.end }]
    Object.assign(node, node.type === 'formula' ? { type: 'text', text } : { type: 'paragraph', children })
  }
}

function isFormula(node: Block | Inline): node is Formula | FormulaBlock {
  return node.type === 'formula' || node.type === 'formulaBlock'
}
