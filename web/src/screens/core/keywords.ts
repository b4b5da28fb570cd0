/** Names that occur in the core's configuration, for completion. */
export const KEYWORDS: readonly string[] = `
address alive allowInsecure alpn api balancers balancerTag blackhole bufferSize burstObservatory clientIp connIdle
destOverride dialerProxy disableCache disableFallback dns domain domains domainStrategy downlinkOnly email enableConcurrency
encryption expectIPs fakedns fallbackTag fingerprint flow fragment freedom grpcSettings handshake headers host hosts http
httpupgradeSettings id inbounds inboundTag interface ip leastLoad leastPing levels listen log loglevel mark metrics mtu mux
network noises observatory outbounds outboundTag password path peers policy port probeInterval probeURL protocol
proxySettings publicKey queryStrategy random realitySettings redirect reserved roundRobin routing ruleTag rules secretKey
security selector sendThrough serverName servers serviceName settings shadowsocks shortId sniffing sockopt socks source
sourceIP sourcePort spiderX stats statsInboundDownlink statsInboundUplink statsOutboundDownlink statsOutboundUplink
strategy streamSettings subjectSelector system tag tcpFastOpen tls tlsSettings trojan type uplinkOnly user userLevel users
vless vmess wireguard wsSettings xhttpSettings
`
  .trim()
  .split(/\s+/);
