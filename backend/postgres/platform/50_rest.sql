-- The owner of a project configures its data API in the database: alter role authenticator set pgrst.…,
-- then notify pgrst, 'reload config'. Only a superuser may set a parameter for a role that no module
-- has declared; on hosted an extension of the server allows these.
grant set on parameter
  pgrst.client_error_verbosity,
  pgrst.db_aggregates_enabled,
  pgrst.db_anon_role,
  pgrst.db_extra_search_path,
  pgrst.db_hoisted_tx_settings,
  pgrst.db_max_rows,
  pgrst.db_plan_enabled,
  pgrst.db_pre_config,
  pgrst.db_pre_request,
  pgrst.db_prepared_statements,
  pgrst.db_root_spec,
  pgrst.db_schemas,
  pgrst.db_tx_end,
  pgrst.jwt_aud,
  pgrst.jwt_role_claim_key,
  pgrst.jwt_secret,
  pgrst.jwt_secret_is_base64,
  pgrst.openapi_mode,
  pgrst.openapi_security_active,
  pgrst.openapi_server_proxy_uri,
  pgrst.server_cors_allowed_origins,
  pgrst.server_timing_enabled,
  pgrst.server_trace_header,
  pgrst.url_use_legacy_target_names
to postgres;
