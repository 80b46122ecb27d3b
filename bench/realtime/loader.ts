import { serveTasks } from '../load/serveTasks.ts'
import { openXmppSubscriber } from '../peers/openXmppSubscriber.ts'
import { createSubscribers, openWebSocketSubscriber, type Subscribers } from './subscribers.ts'
import { loadChannel, type ChannelLoad } from './loadChannel.ts'
import {
  openApiSender,
  openSocketSender,
  openSqlSender,
  openSubscriberSender,
  type Sender,
} from './senders.ts'

/** How messages are sent. */
type SenderOptions =
  | Parameters<typeof openSqlSender>[0]
  | Parameters<typeof openApiSender>[0]
  | Parameters<typeof openSubscriberSender>[1]
  | { url: string }

/** Tasks of the load process; `grow` has the join message of each further socket. */
export type RealtimeTask =
  | { kind: 'grow'; url: string; joins: string[] }
  | { kind: 'shrink'; keep: number }
  | { kind: 'speak'; by: SenderOptions }
  | { kind: 'load'; perSecond: number; seconds: number; bytes?: number }
/** `load` for the task of that name; else how long it took, in ms. */
export type RealtimeResult = { ms: number; load?: ChannelLoad }

async function openSender(by: SenderOptions, subscribers: Subscribers): Promise<Sender> {
  if ('dbUrl' in by) return openSqlSender(by)
  if ('apiUrl' in by) return openApiSender(by)
  if ('senders' in by) return openSubscriberSender(subscribers, by)
  return openSocketSender(by.url)
}

/** The process with the sockets and the sender, separate from the measuring process. */
export async function main(): Promise<number> {
  const subscribers = createSubscribers((endpoint, n, events) => {
    const open = endpoint.url.startsWith('xmpp:') ? openXmppSubscriber : openWebSocketSubscriber
    return open(endpoint, n, events)
  })
  let sender = null as Sender | null

  const answer = async (task: RealtimeTask): Promise<RealtimeResult> => {
    const begun = performance.now()
    if (task.kind === 'grow') {
      const { url, joins } = task
      return { ms: await subscribers.grow({ url, join: (n) => joins[n % joins.length]! }, joins.length) }
    }
    if (task.kind === 'shrink') await subscribers.shrink(task.keep)
    else if (task.kind === 'speak') {
      await sender?.close()
      sender = await openSender(task.by, subscribers)
    } else return { ms: 0, load: await loadChannel(subscribers, sender!, task) }
    return { ms: performance.now() - begun }
  }
  const code = await serveTasks(answer)
  // An open socket or connection would keep this process alive, and the bench waits for its exit.
  await sender?.close()
  await subscribers.shrink(0)
  return code
}
