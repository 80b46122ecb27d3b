import { lazy, Suspense, useDeferredValue, type ReactNode } from 'react'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import styles from './Code.module.css'

const Highlighted = lazy(() =>
  import('./HighlightedCode.tsx').catch(() => ({
    // Offline the text is shown without highlighting.
    default: ({ text }: { text: string; language: string }) => text,
  })),
)
const CodeActions = lazyComponent(() => import('./CodeActions.tsx'), { preload: true })

interface Props {
  text: string
  language: string
  /** Shown in place of the text, which has mentions. */
  children?: ReactNode
}

/** A block of code; highlighting and the button to copy follow, and don't change the layout. */
export function Code({ text, language, children = text }: Props) {
  // Code that is slow to highlight delays what is shown by none of it, and input by one block at most.
  const highlighted = useDeferredValue(language, '')
  return (
    <div className={styles.block} dir="ltr">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable block must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        <code>
          {highlighted ? (
            <Suspense fallback={children}>
              <Highlighted text={text} language={highlighted} />
            </Suspense>
          ) : (
            children
          )}
        </code>
      </pre>
      <Suspense>
        <CodeActions text={text} language={language} />
      </Suspense>
    </div>
  )
}
