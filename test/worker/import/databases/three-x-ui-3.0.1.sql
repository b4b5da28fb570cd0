-- A database of 3x-ui 3.0.1, as text for `sqlite3`.
-- Tables, the names and the order of their columns, and the names of the indexes are those that `pragma table_info` and
-- `pragma index_list` show in a database made by a running 3x-ui 3.0.1; the declared types are those of its driver.
-- The rows were written for these tests. Domains and addresses are those reserved for examples, and
-- keys and tokens were made for this file. The password of `harbour` is `Harbour-lights-7`.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE `users` (`id` integer PRIMARY KEY AUTOINCREMENT,`username` text,`password` text,`login_epoch` integer DEFAULT 0);
CREATE TABLE `inbounds` (`id` integer PRIMARY KEY AUTOINCREMENT,`user_id` integer,`up` integer,`down` integer,`total` integer,`all_time` integer DEFAULT 0,`remark` text,`enable` numeric,`expiry_time` integer,`traffic_reset` text DEFAULT "never",`last_traffic_reset_time` integer DEFAULT 0,`listen` text,`port` integer,`protocol` text,`settings` text,`stream_settings` text,`tag` text,`sniffing` text,`node_id` integer,CONSTRAINT `uni_inbounds_tag` UNIQUE (`tag`));
CREATE TABLE `outbound_traffics` (`id` integer PRIMARY KEY AUTOINCREMENT,`tag` text,`up` integer DEFAULT 0,`down` integer DEFAULT 0,`total` integer DEFAULT 0,CONSTRAINT `uni_outbound_traffics_tag` UNIQUE (`tag`));
CREATE TABLE `settings` (`id` integer PRIMARY KEY AUTOINCREMENT,`key` text,`value` text);
CREATE TABLE `inbound_client_ips` (`id` integer PRIMARY KEY AUTOINCREMENT,`client_email` text,`ips` text,CONSTRAINT `uni_inbound_client_ips_client_email` UNIQUE (`client_email`));
CREATE TABLE `client_traffics` (`id` integer PRIMARY KEY AUTOINCREMENT,`inbound_id` integer,`enable` numeric,`email` text,`up` integer,`down` integer,`all_time` integer,`expiry_time` integer,`total` integer,`reset` integer DEFAULT 0,`last_online` integer DEFAULT 0,CONSTRAINT `fk_inbounds_client_stats` FOREIGN KEY (`inbound_id`) REFERENCES `inbounds`(`id`),CONSTRAINT `uni_client_traffics_email` UNIQUE (`email`));
CREATE TABLE `history_of_seeders` (`id` integer PRIMARY KEY AUTOINCREMENT,`seeder_name` text);
CREATE TABLE `custom_geo_resources` (`id` integer PRIMARY KEY AUTOINCREMENT,`geo_type` text,`alias` text,`url` text,`local_path` text,`last_updated_at` integer,`last_modified` text,`created_at` integer,`updated_at` integer);
CREATE TABLE `nodes` (`id` integer PRIMARY KEY AUTOINCREMENT,`name` text,`remark` text,`scheme` text DEFAULT "https",`address` text,`port` integer,`base_path` text DEFAULT "/",`api_token` text,`enable` numeric DEFAULT true,`allow_private_address` numeric DEFAULT false,`status` text DEFAULT "unknown",`last_heartbeat` integer,`latency_ms` integer,`xray_version` text,`cpu_pct` real,`mem_pct` real,`uptime_secs` integer,`last_error` text,`created_at` integer,`updated_at` integer);
CREATE INDEX `idx_inbounds_node_id` ON `inbounds`(`node_id`);
CREATE INDEX `idx_enable_traffic_reset` ON `inbounds`(`enable`,`traffic_reset`);
CREATE UNIQUE INDEX `idx_custom_geo_type_alias` ON `custom_geo_resources`(`geo_type`,`alias`);
CREATE UNIQUE INDEX `idx_nodes_name` ON `nodes`(`name`);
INSERT INTO users VALUES(1,'harbour','$2a$10$TB5ljshc5xV7UJMtW/RAGOg8P6hg9Nnag6LQwKpWmRL9lWjfHkASK',2);
INSERT INTO inbounds VALUES(1,1,21474836480,64424509440,0,193273528320,'Reality 443',1,0,'monthly',1756684800000,'',443,'vless','{
  "clients": [
    {
      "comment": "family",
      "created_at": 1757500060000,
      "email": "alpha@example.com",
      "enable": true,
      "expiryTime": 4070908800000,
      "flow": "xtls-rprx-vision",
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0001",
      "limitIp": 3,
      "reset": 30,
      "security": "",
      "subId": "k3v9x2m7q0000001",
      "tgId": 0,
      "totalGB": 53687091200,
      "updated_at": 1757500060000
    },
    {
      "comment": "",
      "created_at": 1757500120000,
      "email": "phone-2",
      "enable": false,
      "expiryTime": 0,
      "flow": "xtls-rprx-vision",
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0002",
      "limitIp": 0,
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000002",
      "tgId": 0,
      "totalGB": 10737418240,
      "updated_at": 1757500120000
    },
    {
      "comment": "",
      "created_at": 1757500180000,
      "email": "laptop-3",
      "enable": false,
      "expiryTime": 1740787200000,
      "flow": "xtls-rprx-vision",
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0003",
      "limitIp": 0,
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000003",
      "tgId": 0,
      "totalGB": 0,
      "updated_at": 1757500180000
    },
    {
      "comment": "",
      "created_at": 1757500240000,
      "email": "guest-4",
      "enable": true,
      "expiryTime": -2592000000,
      "flow": "xtls-rprx-vision",
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0004",
      "limitIp": 0,
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000004",
      "tgId": 0,
      "totalGB": 0,
      "updated_at": 1757500240000
    }
  ],
  "decryption": "none",
  "encryption": "none",
  "fallbacks": []
}','{
  "network": "tcp",
  "security": "reality",
  "externalProxy": [],
  "realitySettings": {
    "show": false,
    "xver": 0,
    "target": "www.example.com:443",
    "serverNames": [
      "www.example.com"
    ],
    "privateKey": "aPrAr0tur7b-nzh9WXGgr7HR4RdBlchQ8WktRcDyM0M",
    "minClientVer": "",
    "maxClientVer": "",
    "maxTimediff": 0,
    "shortIds": [
      "6ba85179e30d4fc2",
      "a1"
    ],
    "mldsa65Seed": "",
    "settings": {
      "publicKey": "JWUIZyMSHune5ofGUnCOo7_msbalosXU1Kx13cTY73w",
      "fingerprint": "chrome",
      "serverName": "",
      "spiderX": "/",
      "mldsa65Verify": ""
    }
  },
  "tcpSettings": {
    "acceptProxyProtocol": false,
    "header": {
      "type": "none"
    }
  }
}','inbound-443','{
  "destOverride": [
    "http",
    "tls",
    "quic",
    "fakedns"
  ],
  "enabled": true,
  "metadataOnly": false,
  "routeOnly": false
}',NULL);
INSERT INTO inbounds VALUES(2,1,1048576,5242880,0,6291456,'Websocket behind the CDN',1,0,'never',0,'127.0.0.1',8080,'vmess','{
  "clients": [
    {
      "comment": "",
      "created_at": 1757500300000,
      "email": "guest-5",
      "enable": false,
      "expiryTime": 0,
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0005",
      "limitIp": 0,
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000005",
      "tgId": 0,
      "totalGB": 0,
      "updated_at": 1757500300000
    },
    {
      "comment": "",
      "created_at": 1757500360000,
      "email": "tablet-6",
      "enable": true,
      "expiryTime": 0,
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0006",
      "limitIp": 0,
      "reset": 0,
      "security": "auto",
      "subId": "k3v9x2m7q0000006",
      "tgId": 500000001,
      "totalGB": 0,
      "updated_at": 1757500360000
    }
  ]
}','{
  "network": "ws",
  "security": "none",
  "externalProxy": [
    {
      "forceTls": "tls",
      "dest": "cdn.example.com",
      "port": 443,
      "remark": "cdn"
    }
  ],
  "wsSettings": {
    "acceptProxyProtocol": false,
    "path": "/chat",
    "host": "cdn.example.com",
    "headers": {},
    "heartbeatPeriod": 0
  }
}','inbound-127.0.0.1:8080','{
  "destOverride": [
    "http",
    "tls",
    "quic",
    "fakedns"
  ],
  "enabled": true,
  "metadataOnly": false,
  "routeOnly": false
}',NULL);
INSERT INTO inbounds VALUES(4,1,300,700,0,1000,'Trojan',1,0,'never',0,'',8443,'trojan','{
  "clients": [
    {
      "comment": "",
      "created_at": 1757500420000,
      "email": "desk-7",
      "enable": true,
      "expiryTime": 0,
      "limitIp": 0,
      "password": "Kx8-quiet-Meadow",
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000007",
      "tgId": 0,
      "totalGB": 0,
      "updated_at": 1757500420000
    }
  ],
  "fallbacks": []
}','{
  "network": "tcp",
  "security": "tls",
  "externalProxy": [],
  "tlsSettings": {
    "serverName": "vpn.example.com",
    "minVersion": "1.2",
    "maxVersion": "1.3",
    "cipherSuites": "",
    "rejectUnknownSni": false,
    "disableSystemRoot": false,
    "enableSessionResumption": false,
    "certificates": [
      {
        "certificateFile": "/etc/ssl/panel/vpn.example.com/fullchain.pem",
        "keyFile": "/etc/ssl/panel/vpn.example.com/privkey.pem",
        "oneTimeLoading": false,
        "usage": "encipherment",
        "buildChain": false
      }
    ],
    "alpn": [
      "h2",
      "http/1.1"
    ],
    "settings": {
      "allowInsecure": false,
      "fingerprint": "chrome",
      "echConfigList": ""
    }
  },
  "tcpSettings": {
    "acceptProxyProtocol": false,
    "header": {
      "type": "none"
    }
  }
}','inbound-8443','{
  "destOverride": [
    "http",
    "tls",
    "quic",
    "fakedns"
  ],
  "enabled": true,
  "metadataOnly": false,
  "routeOnly": false
}',NULL);
INSERT INTO inbounds VALUES(5,1,0,0,107374182400,0,'Shadowsocks 2022',1,0,'weekly',1757203200000,'',8388,'shadowsocks','{
  "clients": [
    {
      "comment": "",
      "created_at": 1757500480000,
      "email": "router-8",
      "enable": true,
      "expiryTime": 0,
      "limitIp": 0,
      "method": "",
      "password": "mPq3tY8vR2sW5uX7zA9bDw==",
      "reset": 0,
      "security": "",
      "subId": "k3v9x2m7q0000008",
      "tgId": 0,
      "totalGB": 0,
      "updated_at": 1757500480000
    }
  ],
  "ivCheck": false,
  "method": "2022-blake3-aes-128-gcm",
  "network": "tcp,udp",
  "password": "bG9uZ3BhcGVybGlnaHRzIQ=="
}','{
  "network": "tcp",
  "security": "none",
  "externalProxy": [],
  "tcpSettings": {
    "acceptProxyProtocol": false,
    "header": {
      "type": "none"
    }
  }
}','inbound-8388','{
  "enabled": false,
  "destOverride": [
    "http",
    "tls",
    "quic",
    "fakedns"
  ],
  "metadataOnly": false,
  "routeOnly": false
}',NULL);
INSERT INTO inbounds VALUES(6,1,11,22,0,33,'Office tunnel',1,0,'never',0,'',51820,'wireguard','{
  "mtu": 1420,
  "noKernelTun": false,
  "peers": [
    {
      "allowedIPs": [
        "10.0.0.2/32"
      ],
      "keepAlive": 0,
      "privateKey": "CAcdIsZkaWm4o397KhkwDXniRnDevkYyPcurZdfrK2A=",
      "publicKey": "fUUuINi/NWtrzT+BAt4wkLRSYNs/KKn7m0OrkBpz/TQ="
    }
  ],
  "secretKey": "CAcdIsZkaWm4o397KhkwDXniRnDevkYyPcurZdfrK2A="
}','','inbound-51820','',NULL);
INSERT INTO inbounds VALUES(7,1,0,0,0,0,'Reality on the node',1,0,'never',0,'',443,'vless','{
  "clients": [
    {
      "comment": "family",
      "created_at": 1757500540000,
      "email": "alpha@example.com",
      "enable": true,
      "expiryTime": 4070908800000,
      "flow": "",
      "id": "7c0f5f3e-2a6b-4c1d-9e41-5b0d8a6f0009",
      "limitIp": 3,
      "reset": 30,
      "security": "",
      "subId": "k3v9x2m7q0000001",
      "tgId": 0,
      "totalGB": 53687091200,
      "updated_at": 1757500540000
    }
  ],
  "decryption": "none",
  "encryption": "none",
  "fallbacks": []
}','{
  "network": "tcp",
  "security": "reality",
  "externalProxy": [],
  "realitySettings": {
    "show": false,
    "xver": 0,
    "target": "www.example.com:443",
    "serverNames": [
      "www.example.com"
    ],
    "privateKey": "aPrAr0tur7b-nzh9WXGgr7HR4RdBlchQ8WktRcDyM0M",
    "minClientVer": "",
    "maxClientVer": "",
    "maxTimediff": 0,
    "shortIds": [
      "6ba85179e30d4fc2",
      "a1"
    ],
    "mldsa65Seed": "",
    "settings": {
      "publicKey": "JWUIZyMSHune5ofGUnCOo7_msbalosXU1Kx13cTY73w",
      "fingerprint": "chrome",
      "serverName": "",
      "spiderX": "/",
      "mldsa65Verify": ""
    }
  },
  "tcpSettings": {
    "acceptProxyProtocol": false,
    "header": {
      "type": "none"
    }
  }
}','inbound-443-tcp','{
  "destOverride": [
    "http",
    "tls",
    "quic",
    "fakedns"
  ],
  "enabled": true,
  "metadataOnly": false,
  "routeOnly": false
}',1);
INSERT INTO outbound_traffics VALUES(1,'direct',3221225472,9663676416,12884901888);
INSERT INTO outbound_traffics VALUES(2,'blocked',4096,0,4096);
INSERT INTO settings VALUES(1,'secret','Zq7wN2rT5yU8iP1aS4dF6gH9jK3lX0cV');
INSERT INTO settings VALUES(2,'webPort','54321');
INSERT INTO settings VALUES(3,'webBasePath','/k7Rm2qXw/');
INSERT INTO settings VALUES(4,'webCertFile','');
INSERT INTO settings VALUES(5,'webKeyFile','');
INSERT INTO settings VALUES(6,'webListen','');
INSERT INTO settings VALUES(7,'webDomain','');
INSERT INTO settings VALUES(8,'sessionMaxAge','360');
INSERT INTO settings VALUES(9,'trustedProxyCIDRs','127.0.0.1/32,::1/128');
INSERT INTO settings VALUES(10,'pageSize','25');
INSERT INTO settings VALUES(11,'expireDiff','7');
INSERT INTO settings VALUES(12,'trafficDiff','2');
INSERT INTO settings VALUES(13,'remarkModel','-ieo');
INSERT INTO settings VALUES(14,'datepicker','gregorian');
INSERT INTO settings VALUES(15,'tgBotEnable','false');
INSERT INTO settings VALUES(16,'tgBotToken','');
INSERT INTO settings VALUES(17,'tgBotProxy','');
INSERT INTO settings VALUES(18,'tgBotAPIServer','');
INSERT INTO settings VALUES(19,'tgBotChatId','');
INSERT INTO settings VALUES(20,'tgRunTime','@daily');
INSERT INTO settings VALUES(21,'tgBotBackup','false');
INSERT INTO settings VALUES(22,'tgBotLoginNotify','true');
INSERT INTO settings VALUES(23,'tgCpu','80');
INSERT INTO settings VALUES(24,'tgLang','en-US');
INSERT INTO settings VALUES(25,'timeLocation','Europe/Berlin');
INSERT INTO settings VALUES(26,'twoFactorEnable','false');
INSERT INTO settings VALUES(27,'twoFactorToken','');
INSERT INTO settings VALUES(28,'externalTrafficInformEnable','false');
INSERT INTO settings VALUES(29,'externalTrafficInformURI','');
INSERT INTO settings VALUES(30,'restartXrayOnClientDisable','true');
INSERT INTO settings VALUES(31,'subEnable','true');
INSERT INTO settings VALUES(32,'subJsonEnable','true');
INSERT INTO settings VALUES(33,'subTitle','Harbour');
INSERT INTO settings VALUES(34,'subSupportUrl','https://help.example.com/vpn');
INSERT INTO settings VALUES(35,'subProfileUrl','https://example.com/me');
INSERT INTO settings VALUES(36,'subAnnounce','Maintenance on Sunday night');
INSERT INTO settings VALUES(37,'subEnableRouting','true');
INSERT INTO settings VALUES(38,'subRoutingRules','');
INSERT INTO settings VALUES(39,'subListen','');
INSERT INTO settings VALUES(40,'subPort','2096');
INSERT INTO settings VALUES(41,'subPath','/feed/');
INSERT INTO settings VALUES(42,'subDomain','');
INSERT INTO settings VALUES(43,'subCertFile','');
INSERT INTO settings VALUES(44,'subKeyFile','');
INSERT INTO settings VALUES(45,'subUpdates','12');
INSERT INTO settings VALUES(46,'subEncrypt','true');
INSERT INTO settings VALUES(47,'subShowInfo','true');
INSERT INTO settings VALUES(48,'subURI','');
INSERT INTO settings VALUES(49,'subJsonPath','/json/');
INSERT INTO settings VALUES(50,'subJsonURI','');
INSERT INTO settings VALUES(51,'subClashEnable','true');
INSERT INTO settings VALUES(52,'subClashPath','/clash/');
INSERT INTO settings VALUES(53,'subClashURI','');
INSERT INTO settings VALUES(54,'subJsonFragment','');
INSERT INTO settings VALUES(55,'subJsonNoises','');
INSERT INTO settings VALUES(56,'subJsonMux','{"enabled":true,"concurrency":8,"xudpConcurrency":16,"xudpProxyUDP443":"reject"}');
INSERT INTO settings VALUES(57,'subJsonRules','[{"type":"field","outboundTag":"direct","domain":["domain:example.org"]}]');
INSERT INTO settings VALUES(58,'ldapEnable','false');
INSERT INTO settings VALUES(59,'ldapHost','');
INSERT INTO settings VALUES(60,'ldapPort','389');
INSERT INTO settings VALUES(61,'ldapUseTLS','false');
INSERT INTO settings VALUES(62,'ldapBindDN','');
INSERT INTO settings VALUES(63,'ldapPassword','');
INSERT INTO settings VALUES(64,'ldapBaseDN','');
INSERT INTO settings VALUES(65,'ldapUserFilter','(objectClass=person)');
INSERT INTO settings VALUES(66,'ldapUserAttr','mail');
INSERT INTO settings VALUES(67,'ldapVlessField','vless_enabled');
INSERT INTO settings VALUES(68,'ldapSyncCron','@every 1m');
INSERT INTO settings VALUES(69,'ldapFlagField','');
INSERT INTO settings VALUES(70,'ldapTruthyValues','true,1,yes,on');
INSERT INTO settings VALUES(71,'ldapInvertFlag','false');
INSERT INTO settings VALUES(72,'ldapInboundTags','');
INSERT INTO settings VALUES(73,'ldapAutoCreate','false');
INSERT INTO settings VALUES(74,'ldapAutoDelete','false');
INSERT INTO settings VALUES(75,'ldapDefaultTotalGB','0');
INSERT INTO settings VALUES(76,'ldapDefaultExpiryDays','0');
INSERT INTO settings VALUES(77,'ldapDefaultLimitIP','0');
INSERT INTO settings VALUES(78,'xrayTemplateConfig','{
  "log": {
    "access": "none",
    "dnsLog": false,
    "error": "",
    "loglevel": "warning",
    "maskAddress": ""
  },
  "api": {
    "tag": "api",
    "services": [
      "HandlerService",
      "LoggerService",
      "StatsService"
    ]
  },
  "inbounds": [
    {
      "tag": "api",
      "listen": "127.0.0.1",
      "port": 62789,
      "protocol": "tunnel",
      "settings": {
        "address": "127.0.0.1"
      }
    }
  ],
  "outbounds": [
    {
      "tag": "direct",
      "protocol": "freedom",
      "settings": {
        "domainStrategy": "AsIs",
        "redirect": "",
        "noises": []
      }
    },
    {
      "tag": "blocked",
      "protocol": "blackhole",
      "settings": {}
    }
  ],
  "policy": {
    "levels": {
      "0": {
        "statsUserDownlink": true,
        "statsUserUplink": true
      }
    },
    "system": {
      "statsInboundDownlink": true,
      "statsInboundUplink": true,
      "statsOutboundDownlink": false,
      "statsOutboundUplink": false
    }
  },
  "routing": {
    "domainStrategy": "AsIs",
    "rules": [
      {
        "type": "field",
        "inboundTag": [
          "api"
        ],
        "outboundTag": "api"
      },
      {
        "type": "field",
        "outboundTag": "blocked",
        "ip": [
          "geoip:private"
        ]
      },
      {
        "type": "field",
        "outboundTag": "blocked",
        "protocol": [
          "bittorrent"
        ]
      },
      {
        "type": "field",
        "outboundTag": "blocked",
        "domain": [
          "ext:geosite_ads.dat:ads"
        ]
      }
    ]
  },
  "stats": {},
  "metrics": {
    "tag": "metrics_out",
    "listen": "127.0.0.1:11111"
  }
}');
INSERT INTO settings VALUES(79,'xrayOutboundTestUrl','https://www.google.com/generate_204');
INSERT INTO settings VALUES(80,'apiToken','b4Ht9sWq2LxZ7vNc5RyK8mJd3FgP6uTe1XaQ0oSiUwBhVzGk');
INSERT INTO settings VALUES(81,'warp','');
INSERT INTO settings VALUES(82,'nord','');
INSERT INTO inbound_client_ips VALUES(1,'alpha@example.com','[{"ip":"203.0.113.7","timestamp":1757490000},{"ip":"2001:db8::7","timestamp":1757493600}]');
INSERT INTO inbound_client_ips VALUES(2,'tablet-6','[{"ip":"198.51.100.20","timestamp":1757400000}]');
INSERT INTO client_traffics VALUES(1,1,1,'alpha@example.com',2147483648,8589934592,96636764160,4070908800000,53687091200,30,1757493600123);
INSERT INTO client_traffics VALUES(2,1,0,'phone-2',1073741824,9663676416,10737418240,0,10737418240,0,1757100000000);
INSERT INTO client_traffics VALUES(3,1,0,'laptop-3',5368709120,1073741824,6442450944,1740787200000,0,0,1740780000000);
INSERT INTO client_traffics VALUES(4,1,1,'guest-4',0,0,0,-2592000000,0,0,0);
INSERT INTO client_traffics VALUES(6,2,0,'guest-5',10,20,30,0,0,0,1750000000000);
INSERT INTO client_traffics VALUES(7,2,1,'tablet-6',1048566,5242860,6291426,0,0,0,1757400000000);
INSERT INTO client_traffics VALUES(8,4,1,'desk-7',300,700,1000,0,0,0,1757300000000);
INSERT INTO client_traffics VALUES(9,5,1,'router-8',0,0,0,0,0,0,0);
INSERT INTO history_of_seeders VALUES(1,'UserPasswordHash');
INSERT INTO custom_geo_resources VALUES(1,'geosite','ads','https://downloads.example.com/lists/ads.dat','/usr/local/x-ui/bin/geosite_ads.dat',1757460000,'Tue, 09 Sep 2025 20:00:00 GMT',1750000000,1757460000);
INSERT INTO custom_geo_resources VALUES(2,'geoip','office-net','https://downloads.example.com/lists/office.dat','/usr/local/x-ui/bin/geoip_office-net.dat',0,'',1755000000,1755000000);
INSERT INTO nodes VALUES(1,'fra-1','Frankfurt','https','fra1.example.net',2053,'/n0de/','c8Jk4WmZ1xQv7TyR2bNs9LpD5gHf3UaE6oKiXtVwSzCqBrMu',1,0,'online',1757493600,34,'25.10.15',3.5,41.25,912345,'',1754000000,1757493600);
COMMIT;
