import { i18n } from '@lingui/core'
import type { Ref } from 'react'

interface Props {
  onFiles: (files: File[]) => void
  ref: Ref<HTMLInputElement>
}

/** The hidden field with which a button chooses files. */
export function FileInput({ onFiles, ref }: Props) {
  return (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={i18n._('Files to attach')}
      onChange={(event) => {
        onFiles([...(event.currentTarget.files ?? [])])
        event.currentTarget.value = ''
      }}
    />
  )
}
