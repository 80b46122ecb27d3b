import temml from 'temml'
import { createElement, Fragment, memo, type ReactNode } from 'react'
import styles from './Formula.module.css'

/** A node of the tree that temml creates: MathML, or text. */
interface FormulaNode {
  type?: string
  text?: string
  attributes?: Record<string, string>
  style?: Record<string, string>
  classes?: string[]
  children?: FormulaNode[]
}

/** Elements of MathML; others contribute their content only. */
const ELEMENTS = new Set(
  (
    'math maction menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub ' +
    'msubsup msup mtable mtd mtext mtr munder munderover none mprescripts'
  ).split(' '),
)
/** No colours and no links: an author decides the content of a formula, not the look of the page. */
const ATTRIBUTES = new Set(
  (
    'accent accentunder columnalign columnspan depth display displaystyle fence form height largeop linethickness lspace ' +
    'mathsize mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric ' +
    'voffset width'
  ).split(' '),
)
const STYLES = /^(?:padding(?:Left|Right|Top|Bottom)?|border(?:Left|Right|Top|Bottom)?|width|textAlign)$/
/** A word, or lengths that stay within the formula. */
const VALUE =
  /^(?:[a-z -]{1,60}|(?:-?(?:\d|1\d)?(?:\.\d{1,6})?(?:em|ex|pt|px|mu)?(?: solid)? ?){1,4}|\d{1,3}%)$/
const CLASSES: Record<string, string | undefined> = {
  'tml-display': styles.display,
  'tml-left': styles.left,
  'tml-right': styles.right,
  'tml-prime': styles.prime,
}
/** Nested groups of a formula. */
const MAX_DEPTH = 150

/** TeX as MathML. What temml cannot read, and what refers to other pages, is shown as it is written. */
export default memo(function Formula({ tex, isDisplay }: { tex: string; isDisplay: boolean }) {
  return <span className={isDisplay ? styles.block : styles.inline}>{renderFormula(tex, isDisplay)}</span>
})

/** Exported for tests: the elements of a formula, or its source. */
export function renderFormula(tex: string, isDisplay: boolean): ReactNode {
  try {
    const tree = temml.__renderToMathMLTree(tex, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      maxExpand: 100,
      maxSize: [10, 10],
      macros: {},
    }) as FormulaNode
    return renderNode(tree, 0)
  } catch {
    return <code className={styles.source}>{tex}</code>
  }
}

function renderNode(node: FormulaNode, depth: number): ReactNode {
  if (depth > MAX_DEPTH) throw new RangeError('The formula is nested too deeply.')
  const children = (node.children ?? []).map((child) => renderNode(child, depth + 1))
  if (node.type === undefined || !ELEMENTS.has(node.type))
    return createElement(Fragment, null, node.text ?? null, ...children)
  return createElement(node.type, attributesOf(node), ...children)
}

function attributesOf({ attributes = {}, style = {}, classes = [] }: FormulaNode): Record<string, unknown> {
  const allowed = Object.entries(attributes).filter(
    ([name, value]) => ATTRIBUTES.has(name) && VALUE.test(value),
  )
  const inlineStyles = Object.entries(style).filter(([name, value]) => STYLES.test(name) && VALUE.test(value))
  const className = classes.map((name) => CLASSES[name]).find(Boolean)
  return {
    ...Object.fromEntries(allowed),
    ...(className ? { className } : {}),
    ...(inlineStyles.length > 0 ? { style: Object.fromEntries(inlineStyles) } : {}),
  }
}
