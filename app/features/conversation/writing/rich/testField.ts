import type { Command, EditorState, Transaction } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { bodyOfDoc, docOfBody } from './body.ts'
import { createState } from './createState.ts'

/** A field without a page: its document is changed by typed text and keys, as in the view. */
export interface TestField {
  state: () => EditorState
  body: () => string
  type: (text: string) => TestField
  /** "Backspace", "Ctrl z", "Shift Tab". */
  press: (key: string) => TestField
  run: (command: Command) => boolean
}

export function createTestField(body = '', commands = false): TestField {
  const view = {
    state: createState(docOfBody(body, commands)),
    composing: false,
    dispatch: (tr: Transaction) => {
      view.state = view.state.apply(tr)
    },
    endOfTextblock: () => true,
  }
  const asView = view as unknown as EditorView
  const typeOne = (text: string): void => {
    const { from, to } = view.state.selection
    const isHandled = view.state.plugins.some((plugin) =>
      plugin.props.handleTextInput?.call(plugin, asView, from, to, text, () =>
        view.state.tr.insertText(text),
      ),
    )
    if (!isHandled) view.dispatch(view.state.tr.insertText(text))
  }
  const field: TestField = {
    state: () => view.state,
    body: () => bodyOfDoc(view.state.doc, commands),
    type(text) {
      for (const character of text) typeOne(character)
      return field
    },
    press(keys) {
      const names = keys.split(' ')
      const key = names.at(-1)!
      const event = {
        key,
        code: '',
        ctrlKey: names.includes('Ctrl'),
        shiftKey: names.includes('Shift'),
        altKey: false,
        metaKey: false,
        keyCode: 0,
      } as KeyboardEvent
      view.state.plugins.some((plugin) => plugin.props.handleKeyDown?.call(plugin, asView, event))
      return field
    },
    run: (command) => command(view.state, view.dispatch, asView),
  }
  return field
}
