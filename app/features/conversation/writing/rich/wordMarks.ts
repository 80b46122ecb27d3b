import type { Node } from 'prosemirror-model'
import { Plugin, type EditorState } from 'prosemirror-state'
import { Decoration, DecorationSet } from 'prosemirror-view'
import { characterAt, characterBefore, isWord } from '../../../../../wire/body/letters.ts'
import { addedMarks } from './inlinesOf.ts'

const ELEMENTS = {
  strong: { nodeName: 'strong' },
  emphasis: { nodeName: 'em' },
  strikethrough: { nodeName: 'del' },
  spoiler: { nodeName: 'span', 'data-spoiler': '' },
}

/** Whether a mark begins or ends between two letters. */
function dividesWord(block: Node): boolean {
  const { children } = block
  return children.some((node, at) => {
    const next = children[at + 1]
    return (
      node.text !== undefined &&
      next?.text !== undefined &&
      isWord(characterBefore(node.text, node.text.length)) &&
      isWord(characterAt(next.text, 0))
    )
  })
}

function decorationsOf({ doc }: EditorState): DecorationSet {
  const found: Decoration[] = []
  doc.descendants((block, pos) => {
    if (!block.isTextblock) return true
    if (!block.type.spec.code && dividesWord(block))
      for (const { type, from, to } of addedMarks(block))
        found.push(Decoration.inline(pos + 1 + from, pos + 1 + to, ELEMENTS[type]))
    return false
  })
  return DecorationSet.create(doc, found)
}

/**
 * Shows a mark in a word as it is sent: Markdown has no mark for a part of a word, so the whole word gets it. The document keeps
 * the mark as it was typed, in case a blank divides the word later.
 */
export const wordMarksPlugin = new Plugin<DecorationSet>({
  state: {
    init: (_config, state) => decorationsOf(state),
    apply: (tr, before, _old, state) => {
      if (!tr.docChanged) return before
      // Another element around the text of an input method would end its composition.
      return tr.getMeta('composition') === undefined ? decorationsOf(state) : before.map(tr.mapping, tr.doc)
    },
  },
  props: {
    decorations(state) {
      return this.getState(state)
    },
  },
})
