import { formatAddress, pathTo } from '../../../paths.ts'
import { isChannel } from '../../../../wire/channels.ts'
import { quoted } from './completeQuery.ts'
import { operatorName } from './operators.ts'
import type { NamedConversation, QueryContext } from './parseQuery.ts'

/** The path of a search in one conversation; null for one that is not known. */
export function searchPathOf(id: string, { conversations }: QueryContext): string | null {
  const found = conversations.find((one) => one.id === id)
  return found ? formatAddress(pathTo('search'), { q: filterOf(found) }) : null
}

/** The filter for messages of a conversation. */
export function filterOf(conversation: NamedConversation): string {
  const sign = isChannel(conversation) ? '#' : '@'
  return `${operatorName('in')}:${sign}${quoted(conversation.name)}`
}
