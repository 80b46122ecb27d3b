import { callerKey } from '../../budgets/callerKey.ts'
import type { Caller } from '../../../wire/claims.ts'
import type { Logger } from '../../logging/logger.ts'
import type { Pool } from '../../postgres/connections/pool.ts'
import { askPolicies, codeOf, type AskOptions, type Outcome } from './askPolicies.ts'
import { createFairQueue } from '../../runtime/createFairQueue.ts'

export type Extension = 'broadcast' | 'presence'
/** What policies tell apart by the column `extension`; to store a broadcast is only ever a matter of writing. */
export type Right = Extension | 'persistence'

/** May `caller` read or write these extensions of `topic`? */
export interface Question {
  caller: Caller
  topic: string
  verb: 'read' | 'write'
  extensions: Right[]
  /** Whoever asked may be gone before it is his turn. */
  isOver?: () => boolean
}

/**
 * `unavailable`: the database did not respond; `refused` by policies to a caller whose session has ended, or by a policy
 * that raised an error or took too long.
 */
export type Answer =
  | { outcome: 'answered'; allowed: Right[] }
  | { outcome: 'refused'; why: 'session-ended' | 'policy-error' | 'too-slow' }
  | { outcome: 'unavailable' }

export interface Authoriser {
  /** Never rejects. Questions asked at the same time share a transaction. */
  ask(question: Question): Promise<Answer>
}

interface Asked extends Question {
  answer: (answer: Answer) => void
}

/** Connections of the pool that are used at once, beside the one of the slow. */
const lanes = 2
/** Questions of one transaction: fewer where they were slow, so that nobody waits long behind others. */
const batch = { least: 20, most: 100, longMs: 1_000, shortMs: 300 }
/**
 * What one statement of a policy may take. One that takes longer is asked again alone, where it holds up
 * only those that are as slow; what is slower still is refused, as the hosted service does.
 */
const patience = { quick: '500ms', slow: '5s' }
/** Slow questions of one person that may wait. */
const mostSlow = 5
const canceled = '57014'

/**
 * Asks the policies on realtime.messages, as the hosted service does: to read is to see a row of one's
 * topic and extension, to write is to insert one, as the caller with `realtime.topic()` set, in a
 * transaction that is rolled back. A token counts until it expires, unless the policies ask for its session.
 * @param pool of supabase_realtime_admin, who owns the table and may become any API role
 */
export function createAuthoriser(pool: Pool, log: Logger): Authoriser {
  const waiting = createFairQueue<Asked>()
  const slow = createFairQueue<Asked>()
  let running = 0
  let runsSlow = false
  let scheduled = false
  let batchSize = batch.most

  const pump = (): void => {
    scheduled = false
    while (running < lanes && waiting.size() > 0) {
      running++
      void answerTogether(waiting.take(batchSize).filter(isWanted)).finally(() => {
        running--
        pump()
      })
    }
  }

  const pumpSlow = (): void => {
    if (runsSlow || slow.size() === 0) return
    runsSlow = true
    const [next] = slow.take(1)
    void (isWanted(next!) ? answerAlone(next!) : Promise.resolve()).finally(() => {
      runsSlow = false
      pumpSlow()
    })
  }

  /** Null where the database could not be asked. */
  const askAll = async (questions: Asked[], o: AskOptions): Promise<(Outcome | null)[] | null> => {
    try {
      return await pool.withClient((client) => askPolicies(client, questions, o))
    } catch (error) {
      log.error('realtime authorisation unavailable', { reason: (error as Error).message })
      for (const { answer } of questions) answer({ outcome: 'unavailable' })
      return null
    }
  }

  const answerTogether = async (questions: Asked[]): Promise<void> => {
    if (questions.length === 0) return
    const started = performance.now()
    const outcomes = await askAll(questions, { patience: patience.quick, apart: false })
    const left = outcomes ? give(questions, outcomes) : []
    if (left.length > 0) {
      const second = await askAll(left, { patience: patience.quick, apart: true })
      for (const { answer } of second ? give(left, second) : []) answer({ outcome: 'unavailable' })
    }
    const took = performance.now() - started
    if (took > batch.longMs) batchSize = Math.max(batch.least, batchSize >> 1)
    else if (took < batch.shortMs) batchSize = Math.min(batch.most, batchSize << 1)
  }

  const answerAlone = async (asked: Asked): Promise<void> => {
    const outcomes = await askAll([asked], { patience: patience.slow, apart: false })
    const outcome = outcomes?.[0]
    if (!outcome) return
    if ('error' in outcome && codeOf(outcome.error) === canceled) {
      log.warn('realtime policy too slow', { topic: asked.topic })
      return asked.answer({ outcome: 'refused', why: 'too-slow' })
    }
    giveOne(asked, outcome)
  }

  /** Answers what it can; returns the questions that an error of another left unasked. */
  const give = (questions: Asked[], outcomes: (Outcome | null)[]): Asked[] =>
    questions.filter((asked, at) => {
      const outcome = outcomes[at]
      if (!outcome) return true
      if ('error' in outcome && codeOf(outcome.error) === canceled) defer(asked)
      else giveOne(asked, outcome)
      return false
    })

  const giveOne = ({ answer, topic }: Asked, outcome: Outcome): void => {
    if ('allowed' in outcome) {
      const { allowed, sessionEnded } = outcome
      if (allowed.length === 0 && sessionEnded) return answer({ outcome: 'refused', why: 'session-ended' })
      return answer({ outcome: 'answered', allowed })
    }
    log.warn('realtime policy error', { topic, reason: outcome.error.message })
    answer({ outcome: 'refused', why: 'policy-error' })
  }

  const defer = (asked: Asked): void => {
    const person = callerKey(asked.caller)
    if (slow.countOf(person) >= mostSlow) return asked.answer({ outcome: 'refused', why: 'too-slow' })
    slow.add(person, asked)
    pumpSlow()
  }

  return {
    ask: (question) =>
      new Promise((answer) => {
        // PostgreSQL has no such text: it would refuse all that are asked with it.
        if (question.topic.includes('\0')) return answer({ outcome: 'refused', why: 'policy-error' })
        const asked = { ...question, answer }
        waiting.add(callerKey(asked.caller), asked)
        if (scheduled) return
        scheduled = true
        // After the frames that arrived with this one were read: their joins go together.
        setImmediate(pump)
      }),
  }
}

function isWanted({ isOver, answer }: Asked): boolean {
  if (!isOver?.()) return true
  answer({ outcome: 'unavailable' })
  return false
}
