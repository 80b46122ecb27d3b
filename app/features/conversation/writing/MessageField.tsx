import type { MessageFieldProps } from './MessageFieldProps.ts'
import { PlainField } from './PlainField.tsx'

/** The field of every message: in the composer, in the editor of a message, of a scheduled message and of a comment. */
export function MessageField(props: MessageFieldProps) {
  return <PlainField {...props} />
}
