import { createContext } from 'react'
import type { Message } from '../../../../wire/messages.ts'

/** The message whose text is rendered, and whether the reader may tick its tasks. Null: it is not sent, or an excerpt. */
export const MessageContext = createContext<{ message: Message; mayTick: boolean } | null>(null)
