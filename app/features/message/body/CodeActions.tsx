import { i18n } from '@lingui/core'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useToast } from '../../../ui/toast.ts'
import { Copy } from '../icons.ts'
import styles from './Code.module.css'

/** The language of a block of code, and the button that copies it. */
export default function CodeActions({ text, language }: { text: string; language: string }) {
  const showToast = useToast()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ text: i18n._('Code copied.') })
    } catch {
      showToast({ text: i18n._('Couldn’t copy to the clipboard.') })
    }
  }
  return (
    <div className={styles.actions}>
      {language ? <span className={styles.language}>{language}</span> : null}
      <IconButton label={i18n._('Copy code')} icon={<Icon of={Copy} />} onClick={() => void copy()} />
    </div>
  )
}
