import { Schema, type DOMOutputSpec, type Node } from 'prosemirror-model'
import { mentionedName } from '../../../../data/messages/mentionedName.ts'

/** A mention as text, for the clipboard: "@Bea". The page displays the name with `PillContent`. */
function mentionText(who: string): string {
  if (who === 'channel' || who === 'here') return `@${who}`
  const isChannel = who.startsWith('#')
  return `${isChannel ? '#' : '@'}${mentionedName(isChannel ? who.slice(1) : who) ?? '…'}`
}

/** A node without content as text: the name of a mention, the name of an emoji between colons. */
export function leafText(node: Node): string {
  if (node.type.name === 'mention') return mentionText(node.attrs['who'])
  if (node.type.name === 'emoji') return `:${node.attrs['name']}:`
  return node.type.name === 'lineBreak' ? '\n' : ''
}

const BLOCK: DOMOutputSpec = ['p', { dir: 'auto' }, 0]

/**
 * The documents of the rich field: the blocks of `wire/body/tree.ts`. Tables, formulas in lines of their own and rules are
 * blocks of source. Formulas and addresses in a line are text.
 */
export const schema = new Schema({
  nodes: {
    doc: { content: 'block+' },
    paragraph: {
      group: 'block',
      content: '(inline | lineBreak)*',
      parseDOM: [{ tag: 'p' }, { tag: 'div' }],
      toDOM: () => BLOCK,
    },
    heading: {
      group: 'block',
      content: 'inline*',
      attrs: { level: { default: 1 } },
      defining: true,
      parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({ tag: `h${level}`, attrs: { level } })),
      toDOM: ({ attrs }) => [`h${attrs['level']}`, { dir: 'auto' }, 0],
    },
    codeBlock: {
      group: 'block',
      content: '(text | mention)*',
      marks: '',
      /** What follows the fence: the language. */
      attrs: { info: { default: '' } },
      code: true,
      defining: true,
      parseDOM: [{ tag: 'pre', preserveWhitespace: 'full' }],
      toDOM: ({ attrs }) => ['pre', { dir: 'ltr', 'data-info': attrs['info'] }, ['code', 0]],
    },
    source: {
      group: 'block',
      content: '(text | mention)*',
      marks: '',
      code: true,
      defining: true,
      parseDOM: [{ tag: 'pre[data-source]', preserveWhitespace: 'full', priority: 60 }],
      toDOM: () => ['pre', { dir: 'auto', 'data-source': '' }, 0],
    },
    quote: {
      group: 'block',
      content: 'block+',
      defining: true,
      parseDOM: [{ tag: 'blockquote' }],
      toDOM: () => ['blockquote', 0],
    },
    bulletList: {
      group: 'block',
      content: 'item+',
      /** The marker of its items. */
      attrs: { kind: { default: '-' } },
      parseDOM: [{ tag: 'ul' }],
      toDOM: () => ['ul', { dir: 'auto' }, 0],
    },
    orderedList: {
      group: 'block',
      content: 'item+',
      /** What follows the numbers, and the first of them. */
      attrs: { kind: { default: '.' }, start: { default: 1 } },
      parseDOM: [{ tag: 'ol' }],
      toDOM: ({ attrs }) => ['ol', { dir: 'auto', start: attrs['start'], 'data-kind': attrs['kind'] }, 0],
    },
    item: {
      content: 'block+',
      /** `number`: if it does not follow the number before. `isDone`: of a task; null: no task. */
      attrs: { number: { default: null }, isDone: { default: null } },
      defining: true,
      parseDOM: [{ tag: 'li' }],
      toDOM: ({ attrs: { number, isDone } }) => [
        'li',
        {
          ...(number === null ? {} : { value: number }),
          ...(isDone === null ? {} : { 'data-task': isDone ? 'done' : 'open' }),
        },
        0,
      ],
    },
    text: { group: 'inline' },
    mention: {
      group: 'inline',
      inline: true,
      // The caret moves past it. The next key would replace a selected one.
      selectable: false,
      /** As `Mention.who` of the tree. */
      attrs: { who: {} },
      leafText,
      parseDOM: [{ tag: '[data-who]', getAttrs: (element) => ({ who: element.dataset['who'] ?? '' }) }],
      toDOM: (node) => ['span', { 'data-who': node.attrs['who'] }, leafText(node)],
    },
    emoji: {
      group: 'inline',
      inline: true,
      selectable: false,
      attrs: { name: {} },
      leafText,
      parseDOM: [{ tag: '[data-emoji]', getAttrs: (element) => ({ name: element.dataset['emoji'] ?? '' }) }],
      toDOM: (node) => ['span', { 'data-emoji': node.attrs['name'] }, leafText(node)],
    },
    lineBreak: {
      inline: true,
      selectable: false,
      linebreakReplacement: true,
      leafText,
      parseDOM: [{ tag: 'br' }],
      toDOM: () => ['br'],
    },
  },
  // The outer ones first.
  marks: {
    link: {
      /** `form`: as `Link.form` of the tree. An address alone is text. */
      attrs: { href: {}, form: { default: 'text' } },
      inclusive: false,
      parseDOM: [
        { tag: 'a[data-form]', getAttrs: (element) => ({ href: element.getAttribute('href') ?? '' }) },
      ],
      toDOM: ({ attrs: { href, form } }) => [
        'a',
        { href, 'data-form': form, title: href, rel: 'noopener noreferrer' },
      ],
    },
    spoiler: { parseDOM: [{ tag: '[data-spoiler]' }], toDOM: () => ['span', { 'data-spoiler': '' }] },
    strikethrough: { parseDOM: [{ tag: 's' }, { tag: 'del' }], toDOM: () => ['del'] },
    emphasis: { parseDOM: [{ tag: 'i' }, { tag: 'em' }], toDOM: () => ['em'] },
    strong: { parseDOM: [{ tag: 'b' }, { tag: 'strong' }], toDOM: () => ['strong'] },
    code: { code: true, parseDOM: [{ tag: 'code' }], toDOM: () => ['code'] },
  },
})

/** The text before a position in its block, with one character for each inline node: "\n" for a line break, else U+FFFC. */
export function textBefore(parent: Node, offset: number): string {
  return parent.textBetween(0, offset, null, (leaf) => (leaf.type.name === 'lineBreak' ? '\n' : '\uFFFC'))
}
