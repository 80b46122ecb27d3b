import { diffWordsWithSpace } from 'diff'
import { decodeMentions } from '../../../parts/body/mentionText.ts'
import styles from './TextChanges.module.css'

/** Milliseconds for comparing two texts, which takes longer the more they differ. Then one text replaces the other. */
const TIMEOUT_MS = 200

/** Words of any script. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** The typed text of a version. It marks added words, and shows the words that were removed from the version before. */
export function TextChanges({ before, after }: { before: string; after: string }) {
  const [from, to] = [decodeMentions(before), decodeMentions(after)]
  const changes = diffWordsWithSpace(from, to, { intlSegmenter: segmenter, timeout: TIMEOUT_MS }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ]
  return (
    <p className={styles.text} dir="auto">
      {changes.map(({ value, added, removed }, index) => {
        if (!added && !removed) return value
        // oxlint-disable-next-line react/no-array-index-key -- the texts never change
        return added ? <ins key={index}>{value}</ins> : <del key={index}>{value}</del>
      })}
    </p>
  )
}
