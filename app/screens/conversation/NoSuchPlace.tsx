import { i18n } from '@lingui/core'
import { PaneHead } from './PaneHead.tsx'
import styles from './Pane.module.css'

/** Unknown and forbidden look the same: nothing tells which. */
export function NoSuchPlace() {
  return (
    <section className={styles.pane} aria-label={i18n._('Not found')}>
      <PaneHead title={i18n._('Not found')} back="/" />
      <p className={styles.failed}>
        {i18n._('There is no such conversation, or you are not in it. Choose another one at the side.')}
      </p>
    </section>
  )
}
