import { i18n } from '@lingui/core'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useCopy } from '../../../ui/useCopy.ts'
import { Copy } from '../icons.ts'
import styles from './Code.module.css'

/** The language of a block of code, and the button that copies it. */
export default function CodeActions({ text, language }: { text: string; language: string }) {
  const copy = useCopy()
  return (
    <div className={styles.actions}>
      {language ? <span className={styles.language}>{language}</span> : null}
      <IconButton
        label={i18n._('Copy code')}
        icon={<Icon of={Copy} />}
        onClick={() => void copy(text, i18n._('Code copied.'))}
      />
    </div>
  )
}
