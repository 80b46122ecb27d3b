import type { Ref } from 'react'

/** What owners of a field can do with it. */
export interface MessageFieldHandle {
  focus: () => void
  /** Inserts a text at the caret in place of the selection, as if it were typed: an emoji, "@". */
  insert: (text: string) => void
  /** Replaces the whole content; can be undone. `body` is in the stored form. */
  replaceAll: (body: string) => void
}

export interface MessageFieldProps {
  /** The accessible name. */
  label: string
  placeholder?: string
  className?: string
  /**
   * In the stored form. A value that is not the last one the field emitted replaces its content: the draft of another device,
   * an empty text after sending, a restored message.
   */
  body: string
  onChange: (body: string) => void
  channelId: string
  threadRoot?: string | null
  /** Whether the text can be a slash command. */
  commands?: boolean
  isFormatBarShown?: boolean
  /** Attaches files; absent where a text can have none. */
  onFiles?: (files: File[]) => void
  onFocus?: () => void
  /** Enter (Ctrl+Enter on touch devices); never the Enter that ends a composition. */
  onEnter: () => void
  /** Arrow up in an empty field. */
  onArrowUp?: () => void
  onEscape?: () => void
  /** The field has the focus, with the caret at the end, when it appears. */
  isFocusedFirst?: boolean
  ref?: Ref<MessageFieldHandle>
}
