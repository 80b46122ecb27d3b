import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { cx } from '../../../ui/cx.ts'
import styles from './Spoiler.module.css'

/** Text that is hidden until the reader presses it; screen readers and the tab order get nothing of it before. */
export default function Spoiler({ children }: { children: ReactNode }) {
  const [isShown, setShown] = useState(false)
  return (
    <span className={cx(styles.spoiler, isShown && styles.shown)}>
      {isShown ? null : (
        <button
          type="button"
          className={styles.reveal}
          aria-label={i18n._('Show spoiler')}
          onClick={() => setShown(true)}
        />
      )}
      <span className={styles.text} inert={!isShown}>
        {children}
      </span>
    </span>
  )
}
