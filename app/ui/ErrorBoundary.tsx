import { i18n } from '@lingui/core'
import { Component, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Page } from './Page.tsx'

/** Catches errors while rendering and shows a message with a reload button instead of an empty page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false }

  static getDerivedStateFromError() {
    return { hasError: true }
  }

  override render() {
    if (!this.state.hasError) return this.props.children
    return (
      <Page
        title={i18n._('Something went wrong')}
        lead={i18n._('Your draft is saved on this device. Reload the page to continue.')}
      >
        <div>
          <Button variant="primary" onClick={() => location.reload()}>
            {i18n._('Reload')}
          </Button>
        </div>
      </Page>
    )
  }
}
