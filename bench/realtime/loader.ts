import { answerTasks } from '../load/answerTasks.ts'
import { createCrowd } from './crowd.ts'
import { loadRoom, type RoomLoad } from './loadRoom.ts'
import { openSocketSpeaker, openSqlSpeaker, type Speaker } from './speak.ts'

/** What the load's process is asked for; `grow` names what each further socket says to join. */
export type RoomTask =
  | { kind: 'grow'; url: string; joins: string[] }
  | { kind: 'shrink'; keep: number }
  | { kind: 'speak'; by: Parameters<typeof openSqlSpeaker>[0] | { url: string } }
  | { kind: 'load'; perSecond: number; seconds: number; bytes?: number }
/** `load` for the task of that name; else how long it took, in ms. */
export type RoomAnswer = { ms: number; load?: RoomLoad }

/** The process that holds the sockets and speaks: apart, so that the bench takes no turns from either. */
export async function main(): Promise<number> {
  const crowd = createCrowd()
  let speaker = null as Speaker | null

  const answer = async (task: RoomTask): Promise<RoomAnswer> => {
    const begun = performance.now()
    if (task.kind === 'grow') {
      const { url, joins } = task
      return { ms: await crowd.grow({ url, join: (n) => joins[n % joins.length]! }, joins.length) }
    }
    if (task.kind === 'shrink') await crowd.shrink(task.keep)
    else if (task.kind === 'speak') {
      await speaker?.close()
      speaker = await ('url' in task.by ? openSocketSpeaker(task.by.url) : openSqlSpeaker(task.by))
    } else return { ms: 0, load: await loadRoom(crowd, speaker!, task) }
    return { ms: performance.now() - begun }
  }
  const code = await answerTasks(answer)
  // A socket or connection that stays open would keep this process, and with it the bench that waits for its end.
  await speaker?.close()
  await crowd.shrink(0)
  return code
}
