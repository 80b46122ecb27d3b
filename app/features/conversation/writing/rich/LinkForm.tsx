import { i18n } from '@lingui/core'
import { useState, type KeyboardEvent } from 'react'
import { safeHref } from '../../../../../wire/body/addresses.ts'
import { Button } from '../../../../ui/Button.tsx'
import { isComposing } from '../../../../ui/isComposing.ts'
import { TextField } from '../../../../ui/TextField.tsx'
import styles from './RichField.module.css'

interface Props {
  /** The address of the link that is changed; empty: a new link. */
  address: string
  /** Empty: removes the link. */
  onChange: (href: string) => void
  onClose: () => void
}

/** Asks for the address of a link. It is no form, since it is in the form of the message. */
export function LinkForm({ address, onChange, onClose }: Props) {
  const [text, setText] = useState(address)
  const [error, setError] = useState<string | null>(null)

  function apply() {
    const written = text.trim()
    const href = written === '' ? '' : hrefOf(written)
    if (href === null) setError(i18n._('Enter a complete address.'))
    else onChange(href)
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) apply()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div role="group" aria-label={i18n._('Link')} className={styles.link} onKeyDown={onKeyDown}>
      <TextField
        label={i18n._('Address of the link')}
        hideLabel
        placeholder="https://"
        inputMode="url"
        value={text}
        error={error}
        autoFocus
        onChange={setText}
      />
      <Button variant="quiet" onClick={apply}>
        {i18n._('Save')}
      </Button>
      {address === '' ? null : (
        <Button variant="quiet" onClick={() => onChange('')}>
          {i18n._('Remove link')}
        </Button>
      )}
      <Button variant="quiet" onClick={onClose}>
        {i18n._('Cancel')}
      </Button>
    </div>
  )
}

/** The address of what a person writes: "a.example" and "ann@a.example" are addresses too. */
function hrefOf(written: string): string | null {
  if (/\s/.test(written)) return null
  if (/^[a-z][a-z\d+.-]*:/i.test(written)) return safeHref(written)
  return safeHref(/^[^/]+@[^/]+$/.test(written) ? `mailto:${written}` : `https://${written}`)
}
