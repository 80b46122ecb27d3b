import { baseKeymap, chainCommands } from 'prosemirror-commands'
import { history, redo, undo } from 'prosemirror-history'
import { inputRules } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import type { Node } from 'prosemirror-model'
import { EditorState, Plugin, PluginKey, Selection, type Command } from 'prosemirror-state'
import {
  deletePillAfter,
  deletePillBefore,
  endFormat,
  indent,
  joinLine,
  joinNextLine,
  leaveCodeAbove,
  leaveCodeBelow,
  leaveMarks,
  outdent,
} from './lineCommands.ts'
import { typingPlugins, typingRules, undoRule } from './typingRules.ts'
import { wordMarksPlugin } from './wordMarks.ts'

/** A long text that was pasted, and where it is. */
export interface LongPaste {
  text: string
  from: number
  to: number
}

const longPasteKey = new PluginKey<LongPaste | null>('longPaste')

/** Follows the pasted text that is offered as a file. */
const longPastePlugin = new Plugin<LongPaste | null>({
  key: longPasteKey,
  state: {
    init: () => null,
    apply(tr, before) {
      const next: LongPaste | null | undefined = tr.getMeta(longPasteKey)
      if (next !== undefined) return next
      if (!before || !tr.docChanged) return before
      const from = tr.mapping.map(before.from, 1)
      const to = tr.mapping.map(before.to, -1)
      return to > from ? { ...before, from, to } : null
    },
  },
})

/** The pasted text that is offered as a file; null if there is none. */
export function longPasteOf(state: EditorState): LongPaste | null {
  return longPasteKey.getState(state) ?? null
}

/** The key of the pasted text in the metadata of a transaction; null ends the offer. */
export const LONG_PASTE = longPasteKey

const undoLast: Command = chainCommands(undoRule, undo)

/** Keys that every layout and field has. Enter and formats depend on the field. */
const keys = keymap({
  'Mod-z': undoLast,
  'Mod-Shift-z': redo,
  'Mod-y': redo,
  Backspace: chainCommands(undoRule, deletePillBefore, endFormat, joinLine),
  Delete: chainCommands(deletePillAfter, joinNextLine),
  Tab: indent,
  'Shift-Tab': outdent,
  ArrowDown: leaveCodeBelow,
  ArrowUp: leaveCodeAbove,
  ArrowRight: leaveMarks,
})

const plugins = [
  ...typingPlugins,
  inputRules({ rules: typingRules }),
  longPastePlugin,
  wordMarksPlugin,
  keys,
  keymap(baseKeymap),
]

/** The state of a field with a document, with the caret at its end and an empty history. */
export function createState(doc: Node): EditorState {
  return EditorState.create({ doc, plugins: [...plugins, history()], selection: Selection.atEnd(doc) })
}
