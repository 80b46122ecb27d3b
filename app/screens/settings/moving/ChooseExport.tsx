import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import type { WorkspaceImports } from '../../../../wire/moving.ts'
import { previewImport, removeImport, uploadExport } from '../../../data/administration/importExport.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { SelectField } from '../../../ui/SelectField.tsx'
import { useAction } from '../../../ui/useAction.ts'
import settings from '../SettingsPane.module.css'
import { exportSteps } from './exportSteps.ts'
import { choiceLabel, optionHint, optionLabel } from './optionLabels.ts'
import styles from './MovingPane.module.css'
import { Progress } from './Progress.tsx'

/** The choice of the product, and the upload of its export. */
export function ChooseExport({ value }: { value: WorkspaceImports }) {
  const { import: found, products, isBusy } = value
  const [product, setProduct] = useState(found?.product ?? products[0]?.product ?? '')
  const [options, setOptions] = useState<Record<string, string>>({})
  const [sent, setSent] = useState<number | null>(null)
  const upload = useAction()
  const other = useAction()
  const input = useRef<HTMLInputElement>(null)
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const chosen = products.find((one) => one.product === product)
  const isUploaded = found?.state === 'uploaded'

  const send = async (file: File) => {
    const controller = new AbortController()
    abort.current = controller
    setSent(0)
    await upload.run(() => uploadExport(file, found, { signal: controller.signal, onProgress: setSent }))
    setSent(null)
  }

  if (sent !== null && !isUploaded)
    return <Uploading sent={sent} total={found?.size ?? null} onPause={() => abort.current?.abort()} />
  return (
    <>
      <SelectField
        label={i18n._('Product')}
        value={product}
        options={products.map((one) => ({ value: one.product, label: one.label }))}
        onChange={(name) => {
          setProduct(name)
          setOptions({})
        }}
      />
      {isUploaded ? null : (
        <ol className={styles.list}>
          {exportSteps(product).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {chosen?.options.map(({ name, help, choices }) => (
        <SelectField
          key={name}
          label={optionLabel(name)}
          hint={optionHint(name) ?? <span lang="en">{help}</span>}
          value={options[name] ?? ''}
          options={[
            { value: '', label: i18n._('Default') },
            ...choices.map((choice) => ({ value: choice, label: choiceLabel(name, choice) })),
          ]}
          onChange={(choice) => setOptions((before) => ({ ...before, [name]: choice }))}
        />
      ))}
      {found?.state === 'uploading' ? (
        <p role="status">
          {i18n._(
            'The upload of {name} has stopped at {done} of {total}. Choose the same file to continue.',
            {
              name: found.fileName,
              done: formatBytes(found.uploadedBytes),
              total: formatBytes(found.size),
            },
          )}
        </p>
      ) : null}
      {isUploaded ? (
        <p role="status">
          {i18n._('{name} is uploaded ({size}).', { name: found.fileName, size: formatBytes(found.size) })}
        </p>
      ) : null}
      {isBusy && isUploaded ? (
        <p className="muted">
          {i18n._('Another export or import is running on the server. Try again when it has finished.')}
        </p>
      ) : null}
      <div className={settings.line}>
        {isUploaded ? (
          <Button
            variant="primary"
            disabled={isBusy}
            busy={other.busy}
            onClick={() =>
              void other.run(() =>
                previewImport(
                  found,
                  product,
                  Object.fromEntries(Object.entries(options).filter(([, choice]) => choice !== '')),
                ),
              )
            }
          >
            {i18n._('Show preview')}
          </Button>
        ) : (
          <Button variant="primary" onClick={() => input.current?.click()}>
            {found?.state === 'uploading' ? i18n._('Choose the file again') : i18n._('Upload export')}
          </Button>
        )}
        {found ? (
          <Button variant="quiet" busy={other.busy} onClick={() => void other.run(() => removeImport(found))}>
            {i18n._('Delete upload')}
          </Button>
        ) : null}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept=".zip,.tar,.gz,.tgz,.json,.jsonl"
        aria-label={i18n._('Export file')}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          // Without this, choosing the same file again after an error would not be a change.
          event.currentTarget.value = ''
          if (file) void send(file)
        }}
      />
      {[upload.failure, other.failure].map((failure) =>
        failure === null ? null : (
          <p key={failure} role="alert">
            {failure}
          </p>
        ),
      )}
    </>
  )
}

function Uploading({ sent, total, onPause }: { sent: number; total: number | null; onPause: () => void }) {
  return (
    <div className={styles.state}>
      <Progress
        text={
          total === null
            ? i18n._('Uploading: {done}', { done: formatBytes(sent) })
            : i18n._('Uploading: {done} of {total}', { done: formatBytes(sent), total: formatBytes(total) })
        }
        part={total === null ? null : sent / total}
      />
      <p className="note">
        {i18n._('Keep this page open. If the connection is lost, the upload continues by itself.')}
      </p>
      <div>
        <Button onClick={onPause}>{i18n._('Pause upload')}</Button>
      </div>
    </div>
  )
}
