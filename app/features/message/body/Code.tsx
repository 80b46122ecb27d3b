import { Suspense, lazy } from 'react'
import styles from './Code.module.css'

const Highlighted = lazy(() =>
  import('./HighlightedCode.tsx').catch(() => ({
    // Offline the text is shown without highlighting.
    default: ({ text }: { text: string; language: string }) => text,
  })),
)

/** A block of code; highlighting follows and doesn't change the layout. */
export function Code({ text, language }: { text: string; language: string }) {
  return (
    // A scrollable block must be reachable by keyboard.
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
