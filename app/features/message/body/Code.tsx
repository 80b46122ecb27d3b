import { Suspense, lazy } from 'react'
import styles from './Code.module.css'

const Highlighted = lazy(() =>
  import('./HighlightedCode.tsx').catch(() => ({
    // Without a connection the words matter, not their colours.
    default: ({ text }: { text: string; language: string }) => text,
  })),
)

/** A block of code; its colours come later and change no letter's place. */
export function Code({ text, language }: { text: string; language: string }) {
  return (
    // A block that scrolls sideways must be reachable by keyboard.
    <pre className={styles.code} tabIndex={0} dir="ltr">
      <code>
        {language ? (
          <Suspense fallback={text}>
            <Highlighted text={text} language={language} />
          </Suspense>
        ) : (
          text
        )}
      </code>
    </pre>
  )
}
