import { describe, expect, test } from 'vitest'
import { cases } from '../../../../wire/body/cases.ts'
import { element, escapeText } from '../../../../wire/body/testing/describeBlocks.ts'
import styles from './Body.module.css'
import { bodyTree, type Tree } from './testing/elementTree.ts'

/** The elements of a page in the notation of the cases. */
function describeTrees(trees: readonly Tree[], within = ''): string {
  return trees.map((tree) => describeTree(tree, within)).join('')
}

function describeTree(tree: Tree, within: string): string {
  if (typeof tree === 'string') return escapeText(tree)
  const { tag, attributes, children } = tree
  const className = attributes['className']
  const content = describeTrees(children, tag)
  switch (tag) {
    case 'p':
      return element('p', className === styles.strong ? element('strong', content) : content)
    case 'blockquote':
      return element('quote', content)
    case 'linnet-code':
      return element('pre', content || escapeText(String(attributes['text'])), String(attributes['language']))
    case 'linnet-mention':
      return `<@${String(attributes['who'])}>`
    case 'linnet-emoji':
      return `<:${String(attributes['name'])}:>`
    case 'a':
      return element('a', content, String(attributes['href']))
    case 'span':
      return element('spoiler', content)
    case 'ol':
      return element('ol', numbered(children, Number(attributes['start'])))
    case 'li':
      return className === styles.task
        ? element('task', content, String(attributes['checked'] === true ? 'x' : ''))
        : element('li', content)
    case 'th':
    case 'td':
      return element(
        tag,
        content,
        className === styles.center ? 'center' : className === styles.end ? 'end' : '',
      )
    case 'div':
    case 'thead':
    case 'tbody':
      return content
    case 'br':
    case 'hr':
      return `<${tag}>`
    default:
      return within === tag ? content : element(tag, content)
  }
}

/** Items with the numbers that a browser shows. */
function numbered(items: readonly Tree[], start: number): string {
  let number = start - 1
  return items
    .map((item) => {
      if (typeof item === 'string') return item
      number = Number(item.attributes['value'] ?? number + 1)
      return element('li', describeTrees(item.children), String(number))
    })
    .join('')
}

describe.each(cases)('the page of $subject: $text', ({ text, shown }) => {
  test('has what the case describes', () => {
    // Formulas and checkboxes are loaded later: until then, formulas are code, and tasks are items. Text is aligned at its start.
    const expected = shown
      .replaceAll(/(<\/?)math>/g, '$1code>')
      .replaceAll(/<task(?:=x)?>/g, '<task>')
      .replaceAll('=start>', '>')
    expect(describeTrees(bodyTree(text))).toBe(expected)
  })
})
